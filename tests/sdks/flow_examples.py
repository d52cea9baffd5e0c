"""Run an example of `examples/` in the environment of its SDK; all of them print the same."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXPECTED = """\
understanding: INTENT_ANALYSIS
router: ROUTE_DECISION
  Shall I start a new task that counts the open tickets? yes
planner: TASK_PLAN, after 1 correction
review of the plan: REVIEW_RESULT, The server allows one call at a time.
planner: TASK_PLAN
review of the plan: REVIEW_RESULT, Good.
executor: count_tickets, {'high': 2, 'medium': 1, 'low': 1}
review of the result: REVIEW_RESULT, Good.
executor: count_tickets, {'error': 'the ticket server does not answer'}
review of the result: REVIEW_RESULT, There are no numbers by area.
orchestrator: EXCEPTION_HANDLE, retry
"""


def run_example(name: str) -> str:
    """Return what an example prints, with its errors."""
    command = [sys.executable, str(ROOT / "examples" / f"{name}.py")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)
    return done.stdout + done.stderr
