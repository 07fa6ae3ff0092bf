"""`torchstone learn`: a ladder of exercises, done in the learner's own editor and graded in the terminal.

    catalog     what exercises there are: the folder `exercises/` is the list
    workspace   the learner's folder: starters, task texts, backups
    progress    the learner's state file
    grading     what an exercise's `grade.py` imports; runs in the process that grades
    judging     one verdict, inside a fresh process: the learner's file against `grade.py`
    grading_process   that process, seen from outside: it waits for the file
    grader      gives verdicts, by one such process each
    verdicts    what comes back
    screen, keys, watch          the terminal
    authoring                    `learn dev check` and `learn dev new`

Only `grading` and `judging` import torch: everything else works, and starts, without it.
"""
