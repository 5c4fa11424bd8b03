"""Executing a submission: nbgrader's Execute, made to give the same marks whatever the notebook does to its kernel.

nbgrader takes a graded cell without output for right, and one with text on stderr for wrong. So a cell that never
ran has to say that it failed, and text on stderr has to be text.
"""

import subprocess

from jupyter_core.utils import run_sync
from nbclient.exceptions import DeadKernelError
from nbformat.v4 import new_output
from nbgrader.preprocessors import Execute
from nbgrader.utils import is_grade, is_solution

#: Kept in the notebook's metadata, for the class summary; what a student puts there is removed on taking in.
FLAG = "manyheads_flag"
DEAD = "the notebook ended its own kernel"
STUCK = "a cell could not be stopped after {} s"
CUT = "more output than a person reads was cut"

_MOST_OUTPUT = 20_000  # characters of one output
#: IPython's exit() ends the kernel some cells later, so that marks would depend on chance. Here it ends it at once.
_EXIT_AT_ONCE = "get_ipython().ask_exit = lambda: __import__('os')._exit(0)"


class SurvivingExecute(Execute):
    """Keeps what was executed before a kernel died or got stuck; the graded cells after it earn nothing."""

    #: Called before and after the notebook runs; a batch uses them to let others at the gradebook meanwhile.
    before = staticmethod(lambda: None)
    after = staticmethod(lambda: None)

    def preprocess(self, nb, resources):
        self._executed = 0
        self.extra_arguments = [f"--IPKernelApp.exec_lines={_EXIT_AT_ONCE}"]
        self.before()
        try:
            nb, resources = super().preprocess(nb, resources)
        except DeadKernelError:
            nb.metadata[FLAG] = DEAD
        except Exception:  # nbclient raises one of many when a kernel neither answers nor can be interrupted
            nb.metadata[FLAG] = STUCK.format(self.timeout)
        finally:
            self.after()
        for index, cell in enumerate(nb.cells):
            if cell.cell_type == "code":
                self._settle(cell, ran=index < self._executed and cell.execution_count is not None)
        if any(self._cut(output) for cell in nb.cells for output in cell.get("outputs", [])):
            nb.metadata.setdefault(FLAG, CUT)
        return nb, resources

    def preprocess_cell(self, cell, resources, index):
        cell, resources = super().preprocess_cell(cell, resources, index)
        self._executed = index + 1
        return cell, resources

    async def async_start_new_kernel(self, **kwargs):
        """Start a kernel whose own output does not reach the grader's terminal."""
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return await super().async_start_new_kernel(**quiet, **kwargs)

    start_new_kernel = run_sync(async_start_new_kernel)

    @staticmethod
    def _settle(cell, ran: bool) -> None:
        if not (is_grade(cell) and not is_solution(cell)):
            return
        if not ran:
            message = "this cell was not run"
            cell.outputs = [new_output("error", ename="NotRun", evalue=message, traceback=[f"NotRun: {message}"])]
        for output in cell.outputs:
            if output.output_type == "stream":
                output.name = "stdout"

    @staticmethod
    def _cut(output) -> bool:
        """Cut what is too long to be read; whether anything was."""
        cut = False
        for holder, key in [(output, "text"), *((output.get("data", {}), kind) for kind in output.get("data", {}))]:
            text = holder.get(key)
            if isinstance(text, str) and len(text) > _MOST_OUTPUT and "manyheads" not in output.get("metadata", {}):
                holder[key] = text[:_MOST_OUTPUT] + "\n… cut" if key in ("text", "text/plain") else ""
                cut = True
        return cut
