"""Executing a submission: nbgrader's Execute, made to survive a kernel that ends in the middle."""

from nbclient.exceptions import DeadKernelError
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute
from nbgrader.utils import is_grade, is_solution

DEAD = "the notebook ended its own kernel"
#: Kept in the notebook's metadata, for the class summary.
FLAG = "manyheads_flag"


class SurvivingExecute(Execute):
    """Keeps what was executed before the kernel died; the graded cells after it get an error, not full marks.

    nbgrader takes a cell without output for right, so a cell that never ran must say that it failed.
    """

    #: Called before and after the notebook runs; a batch uses them to let others at the gradebook meanwhile.
    before = staticmethod(lambda: None)
    after = staticmethod(lambda: None)

    def preprocess(self, nb, resources):
        self._executed = 0
        self.before()
        try:
            nb, resources = super().preprocess(nb, resources)
        except DeadKernelError:
            nb.metadata[FLAG] = DEAD
            for cell in nb.cells[self._executed :]:
                self._fail(cell)
        finally:
            self.after()
        return nb, resources

    def preprocess_cell(self, cell, resources, index):
        cell, resources = super().preprocess_cell(cell, resources, index)
        self._executed = index + 1
        return cell, resources

    @staticmethod
    def _fail(cell) -> None:
        if cell.cell_type == "code" and is_grade(cell) and not is_solution(cell):
            message = f"not run: {DEAD} before this cell"
            cell.outputs = [new_output("error", ename="NotRun", evalue=message, traceback=[f"NotRun: {message}"])]
