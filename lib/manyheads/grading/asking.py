"""What a function asked of its suppliers, against what the reference asks: each request as often, in any order."""

from collections import Counter
from dataclasses import dataclass

from manyheads.exercises.definition import Case
from manyheads.grading.outcome import Outcome


@dataclass(frozen=True)
class Asking:
    """How two sets of requests differ: calls as text, ``tile(2, 0)``."""

    needless: tuple[str, ...] = ()
    again: tuple[tuple[str, int, int], ...] = ()  #: (call, how often it was made, how often it is needed)
    never: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether nothing differs."""
        return not (self.needless or self.again or self.never)

    @property
    def kinds(self) -> tuple[bool, bool, bool]:
        """What is wrong, as far as it tells one mistake from another."""
        return bool(self.needless), bool(self.again), bool(self.never)

    @property
    def message(self) -> str:
        """What differs, for the student: the first call of the first kind."""
        if self.needless:
            return f"your function calls {_and_more(self.needless)}, which is not needed"
        if self.again:
            call, times, needed = self.again[0]
            return f"your function calls {call} {times} times; {_times(needed)}"
        return f"your function never calls {_and_more(self.never)}, which is needed"


def asking(case: Case, expected: Outcome, got: Outcome) -> Asking:
    """Compare what was asked, where the case says that it counts."""
    if not case.asks:
        return Asking()
    needless, again, never = [], [], []
    for name, needed in expected.asked.items():
        made = got.asked.get(name, Counter())
        for arguments in {**made, **needed}:
            call = f"{name}({', '.join(map(str, arguments))})"
            if not needed[arguments]:
                needless.append(call)
            elif not made[arguments]:
                never.append(call)
            elif made[arguments] != needed[arguments]:
                again.append((call, made[arguments], needed[arguments]))
    return Asking(tuple(needless), tuple(again), tuple(never))


def _and_more(calls: tuple[str, ...]) -> str:
    others = len(calls) - 1
    return calls[0] + (f" and {others} other{'s' * (others > 1)}" if others else "")


def _times(needed: int) -> str:
    return "once is enough" if needed == 1 else f"{needed} times are needed"
