"""nbgrader's configuration of this course: stock `nbgrader …` and `manyheads grade` work on the same folders.

MANYHEADS_CLASS names the folder of the class (default var/class): submissions, gradebook and feedback are there.
"""

import os
from pathlib import Path

from manyheads.authoring.course import Course
from manyheads.grading import nbgrader_tools
from manyheads.grading.seeds import COURSE_SEED
from manyheads.studies.availability import SKIP

c = get_config()

root = Path(__file__).resolve().parent
c.merge(nbgrader_tools.config(root, class_folder=os.environ.get("MANYHEADS_CLASS", "var/class")))

# The hidden inputs: drawn from a seed that is made on first use and never committed.
os.environ.setdefault(COURSE_SEED, Course(root).seed())

# No point depends on the experiments with torch, which take minutes.
os.environ.setdefault(SKIP, "grading")
