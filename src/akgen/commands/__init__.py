"""The commands by name: where each lives and its one line of help, known without importing it.

One module per command: options in, one call into a room, result out.
"""

from typing import NamedTuple


class Subcommand(NamedTuple):
    """A function to import when it is called, or asked for its own help."""

    place: str  # module:function
    help: str  # the first line of the function's docstring; a test compares them
    passes_on: bool = False  # what it does not know goes to another program


class Family(NamedTuple):
    """Commands that stand below one name, such as `akgen bench run`."""

    help: str
    commands: dict[str, Subcommand]
    otherwise: str | None = None  # the command that is meant where none is named


_BENCH = {
    "run": Subcommand(
        "bench:run_suite",
        "Run tasks times samples and report; the same command again goes on where it stopped.",
    ),
    "report": Subcommand(
        "bench_report:report_run", "Report on runs, finished or not, and write one HTML page of them."
    ),
    "compare": Subcommand(
        "bench_compare:compare_runs",
        "Say which tasks one of two runs solves alone, whether that differs, and how their kernels' times relate.",
    ),
    "plan": Subcommand(
        "bench_compare:plan_run",
        "Say how many tasks and samples show that two runs of SUITE differ by so much, at 5 %.",
    ),
    "list": Subcommand(
        "bench_list:list_tasks", "Print the tasks of a suite; with --check, run their references."
    ),
    "survey": Subcommand(
        "bench_list:survey_suite",
        "Compose a suite's tasks without compiling, and say what stands in the way of the others.",
    ),
    "speed": Subcommand(
        "bench_figures:speed",
        "Measure compiling, operators, memory, verdicts and the graph. "
        "Exit 0 if every figure is within its target.",
    ),
    "schedule": Subcommand(
        "bench_figures:schedule",
        "Simulate many workers with a run's durations. Exit 0 if nine tenths of their time judge.",
    ),
    "roofline": Subcommand(
        "bench_figures:roofline",
        "Say how near the composer's kernels for ten tasks come to what the tasks need.",
    ),
    "sampling": Subcommand(
        "bench_figures:sampling",
        "Measure one request for n samples against n requests. Exit 0 if it is at least three times as fast.",
    ),
}

_HARVEST = {
    "export": Subcommand(
        "harvest:export", "Write JSONL records of a run's attempts; they load with `datasets`."
    ),
}

_DATA = {
    "build": Subcommand(
        "data:build",
        "Build records, each verified by the judge; the same command again goes on where it stopped.",
    ),
    "card": Subcommand(
        "data:card",
        "Write the data card, README.md: counts, lengths with a picture, licences, seeds, toolchain, digest.",
    ),
    "import": Subcommand(
        "data:import_",
        "Bring in attempts of a run, your own documentation, or general data, each with its licence.",
    ),
    "mix": Subcommand(
        "data:mix",
        "Mix builds into one data set: quotas, de-duplication, a limit of length, packing, its card.",
    ),
    "verify": Subcommand(
        "data:verify",
        "Judge a sample of records again from their stored text. Exit 0 if all that they claim holds.",
    ),
    "certify": Subcommand(
        "data:certify",
        "Compare a data set with benchmarks and write its certificate. Exit 0 if nothing that leaks is left in it.",
    ),
    "export": Subcommand("data:export", "Write the records as files that a trainer loads unmodified."),
    "rate": Subcommand(
        "data:rate",
        "Measure how many verified pairs of task and kernel are made in an hour. Exit 0 if it is at least 600.",
    ),
    "operators": Subcommand(
        "data:operators",
        "Draw operators as a folder of tasks, a suite for `akgen bench run`. Exit 0 if there are as many as asked for.",
    ),
}

_TRAIN = {
    "pairs": Subcommand(
        "train:pairs",
        "Draw tasks with the tensor programs that solve them, and held-out ones as suites; goes on where it stopped.",
    ),
    "tokenizer": Subcommand(
        "train:tokenizer", "Train the tokenizer of a recipe, and say how long records are in it."
    ),
    "sft": Subcommand("train:sft", "Train on answers, from scratch or further, as the recipe CONFIG says."),
    "preferences": Subcommand(
        "train:preferences",
        "Sample from a model and write pairs of a correct answer and one that computes wrongly.",
    ),
    "mine": Subcommand(
        "train:mine",
        "Write a recorded run's preferences: correct before wrong, and fast before slow where both are correct.",
    ),
    "dpo": Subcommand("train:dpo", "Train on preferences, as the recipe CONFIG says."),
    "grpo": Subcommand(
        "train:grpo", "Train on rewards of the model's own samples, as the recipe CONFIG says."
    ),
    "iterate": Subcommand("train:iterate", "Sample, verify, keep and retrain, as the recipe CONFIG says."),
    "ablate": Subcommand("train:ablate", "Train variants of a recipe for as many steps, and measure each."),
    "evaluate": Subcommand(
        "train:evaluate", "Measure a model on held-out tasks without a compiler: CR@k, ER@k, with intervals."
    ),
    "compare": Subcommand(
        "train:compare", "Say whether two evaluations differ: paired permutation test, interval."
    ),
    "drill": Subcommand(
        "train:drill",
        "Put known cheats into groups of honest failures. Exit 0 if none is rewarded above these.",
    ),
}

_DESK = {
    "open": Subcommand(
        "desk:open_desk",
        "Serve an OpenAI-compatible endpoint that writes each request to FOLDER and waits for a file with the reply.",
    ),
    "answer": Subcommand(
        "desk:answer", "Answer a request that waits: with a file, or with what is pasted and ended by Ctrl-D."
    ),
    "waiting": Subcommand("desk:waiting", "List the requests that wait for a reply. Exit 0 if there is one."),
}

COMMANDS: dict[str, Subcommand | Family] = {
    "solve": Subcommand("solve:solve", "Plan, write, compile, test, profile and repair a kernel for TASK."),
    "resume": Subcommand("solve:resume", "Finish a run that stopped; repeat nothing that was paid for."),
    "replay": Subcommand(
        "replay:replay",
        "Run RUN's tasks again with the replies that its model gave; exit 0 if every attempt comes out the same.",
    ),
    "eval": Subcommand(
        "evaluate:evaluate",
        "Judge PROJECT on a task: compile, run on hidden inputs, compare with PyTorch.",
    ),
    "profile": Subcommand(
        "profile:profile",
        "Time PROJECT on one case of a task and draw its pipeline timeline. Says nothing about correctness.",
    ),
    "package": Subcommand(
        "package:package",
        "Build PROJECTS with CANN into one operator package under their own names. Exit 0 if it is built.",
    ),
    "record": Subcommand(
        "record:record",
        "Pack RUN into one file for review: sources, logs, times, versions; or --check or --import such a file.",
    ),
    "calibrate": Subcommand(
        "record:calibrate",
        "Fit the time model to times of a device. Exit 0 if tasks left out of the fit are predicted no worse.",
    ),
    "optimise": Subcommand(
        "optimise:optimise",
        "Make PROJECT faster on a task: profile, hypothesise, change, verify, keep what the timeline proves.",
    ),
    "show": Subcommand(
        "show:show", "Print a run's attempts, verdicts and files, even if it stopped half-way."
    ),
    "view": Subcommand(
        "view:view",
        "Show bench runs in a browser while they go on; new results appear by themselves. Ends with Ctrl-C.",
    ),
    "chat": Subcommand(
        "chat:chat", 'Talk: "write me a gelu kernel for fp16, 1024 by 4096", then "make it bf16".'
    ),
    "mcp": Subcommand(
        "mcp:mcp",
        "Serve compile, test, profile, lint, search_knowledge and solve to an MCP client (docs/mcp.md).",
    ),
    "direct": Subcommand(
        "direct:direct",
        "Build and run a program that launches kernels with <<<>>>. Exit 0 if it ends well and no launch fails.",
    ),
    "unit": Subcommand(
        "unit:unit",
        "Build and run a CPU unit test that includes tikicpulib.h. "
        "Exit 0 if it passes and no check of the twin fails.",
    ),
    "twin-flags": Subcommand(
        "unit:twin_flags", "Print g++ options for CPU unit tests: `g++ test.cpp $(akgen twin-flags) -o test`."
    ),
    "torch": Subcommand(
        "torch_script:torch_script",
        "Compile a binding against CPU PyTorch and run SCRIPT; each operator that it calls runs on the twin.",
    ),
    "serve": Subcommand(
        "serve:serve",
        "Serve MODEL over an OpenAI-compatible API until interrupted; vLLM gets what follows -- as it is.",
        passes_on=True,
    ),
    "desk": Family("Be the model: `akgen desk FOLDER` hands each request out as a file.", _DESK, "open"),
    "explain": Subcommand(
        "explain:explain",
        "Explain an error code: what it means, its cause, its remedy, and a pair of kernels that shows it.",
    ),
    "doctor": Subcommand(
        "doctor:doctor",
        "Look at compiler, sandbox, PyTorch, CANN, NPU and endpoint. Exit 0 if the twin can be used.",
    ),
    "cache": Subcommand(
        "cache:cache",
        "Say what is kept of builds and references: how many, how large, how often it was there; or delete it.",
    ),
    "bench": Family("Run task suites and report on them.", _BENCH),
    "data": Family("Make what models are trained on.", _DATA),
    "train": Family(
        "Train models on what `akgen data` and `akgen train pairs` make (docs/training.md).", _TRAIN
    ),
    "harvest": Family("Make training data from recorded runs.", _HARVEST),
}
