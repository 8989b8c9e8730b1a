# Two commands: `make demo` and `make test`. Both create .venv on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export OMP_NUM_THREADS ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# uv unpacks packages on all cores and pip on one; torch comes by pip, whose settings name the build for CPUs. What is
# large and rarely imported is compiled when it is. AKGen's own code is compiled too: where processes may not write what
# they compiled, each would compile it anew; references that tasks hold are left as they are.
RARELY_IMPORTED := (^|/)(tests?|bench/tasks|testing|pip|setuptools|mypyc?|narwhals|patsy|pygments/lexers|numpy/distutils|scipy/signal|tensorboard/_vendor|opentelemetry/semconv|trl/experimental|langsmith/(resources|sandbox|integrations)|huggingface_hub/(cli|inference)|transformers/(models|exporters|pipelines)|torch/(_inductor|_vendor|onnx)|sympy/(physics|stats)|statsmodels/(tsa|sandbox|genmod)|ray/(rllib|tune|train|serve|data|dashboard|llm)|plotly/(validators|graph_objs))/

ROOMS := agents bench finetune graph knowledge tools

.PHONY: rehearsal train-demo vendor-forms slow-kernels recordings experts demo test test-slow test-vllm test-openai fairness check bench metrics recall remedies mutate calibrate lint format docs fuzz fuzz-calls fuzz-readers kernel-pages random-programs user-modules signatures sentences \
	install clean red-team sanitize

install: $(STAMP)

$(STAMP): pyproject.toml
	@echo "installing into $(VENV) (a minute or two on first use)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c "import torch" 2>/dev/null || $(BIN)/pip install -q --no-compile torch==2.13.0
	@$(BIN)/pip install -q --no-compile uv 2>/dev/null && $(BIN)/uv pip install -q --python $(BIN)/python -e '.[dev]' \
	  || $(BIN)/pip install -q --no-compile -e '.[dev]'
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m compileall -qq -j 0 -x '$(RARELY_IMPORTED)' $(VENV)/lib $(ROOMS) src || true
	@touch $@

demo: $(STAMP)
	@$(BIN)/akgen solve softmax_rows

# The whole of training, small: pairs, SFT from scratch, evaluation, preferences, DPO, expert iteration, and the normal
# graph with the model. About twenty minutes on two idle cores.
TRAINED := build/train-demo
train-demo: $(STAMP)
	@$(BIN)/python -c "import trl" 2>/dev/null || $(BIN)/pip install -q -e '.[train]'
	$(BIN)/akgen train pairs $(TRAINED)/pairs.jsonl --count 6000 --seed 1
	$(BIN)/akgen train drill $(TRAINED)/pairs.jsonl
	$(BIN)/akgen train sft finetune/training/recipes/demo_sft.yaml $(TRAINED)/sft
	$(BIN)/akgen train evaluate $(TRAINED)/sft/model $(TRAINED)/pairs.jsonl --tasks 60 --repair --out $(TRAINED)/sft.json
	$(BIN)/akgen train evaluate $(TRAINED)/sft/model $(TRAINED)/pairs.jsonl --tasks 60 --split families
	$(BIN)/akgen train preferences $(TRAINED)/sft/model $(TRAINED)/pairs.jsonl $(TRAINED)/preferences.jsonl --tasks 300
	$(BIN)/akgen train dpo finetune/training/recipes/demo_dpo.yaml $(TRAINED)/dpo
	$(BIN)/akgen train evaluate $(TRAINED)/dpo/model $(TRAINED)/pairs.jsonl --tasks 60 --out $(TRAINED)/dpo.json
	$(BIN)/akgen train compare $(TRAINED)/sft.json $(TRAINED)/dpo.json
	$(BIN)/akgen train iterate finetune/training/recipes/demo_iterate.yaml $(TRAINED)/iterate
	$(BIN)/akgen train evaluate $(TRAINED)/iterate/round-1/sft/model $(TRAINED)/pairs.jsonl --tasks 60 --out $(TRAINED)/iterate.json
	$(BIN)/akgen train compare $(TRAINED)/sft.json $(TRAINED)/iterate.json
	$(BIN)/akgen bench run $(TRAINED)/tasks/compositions --source model --model local:$(TRAINED)/iterate/round-1/sft/model --samples 4 --attempts 2 \
		--tasks $$(ls $(TRAINED)/tasks/compositions | head -5 | paste -sd,) --out $(TRAINED)/bench

# Rewriting the assertions of all tests takes half of what collecting them takes, in each process: only what failed runs
# again with assertions that say what they compared. The result stays that of the first run.
# One process more than two cores: tests also wait, for servers, terminals and workers that are killed.
WORKERS ?= 3
QUICK := -m "not slow and not vllm"
test: export PYTHONDONTWRITEBYTECODE :=
test: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --assert=plain $(QUICK) \
	  || { $(BIN)/python -m pytest --last-failed --last-failed-no-failures none $(QUICK); exit 1; }

# What `make test` leaves out: long tests, and all of the many alike cases of which it runs a sample. Hours.
test-slow: export PYTHONDONTWRITEBYTECODE :=
test-slow: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "slow and not vllm"

# Installs vLLM for CPUs and small real weights below the user's cache (once), serves them, and tests against that.
CACHE ?= $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)
test-vllm: $(STAMP)
	$(BIN)/python tests/vllm/prepare.py $(CACHE)/akgen/vllm
	AKGEN_VLLM=$(CACHE)/akgen/vllm $(BIN)/python -m pytest -m vllm tests/conformance tests/vllm

# What `openai` and `langchain-openai` do not do, each a reason for a client of our own (docs/models.md).
test-openai: $(STAMP)
	$(BIN)/pip install --quiet --upgrade --target $(CACHE)/akgen/openai langchain-openai
	AKGEN_OPENAI=$(CACHE)/akgen/openai $(BIN)/python -m pytest tests/agents/test_wire_reasons.py

# Thirty unit tests, ten bindings, ten programs and answers with classes in the forms of the vendor's and the benchmarks'
# documentation; `make test` runs some.
vendor-forms: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "slow or not slow" tests/twin/test_operator_units.py tests/binding tests/direct \
	  tests/model_new

# Every sound program of tests/fairness passes at 200 seeds, and every wrong one fails at five.
fairness: $(STAMP)
	$(BIN)/python -m pytest -m slow tests/fairness

# PyTorch's operators, their arguments and defaults, written down anew from the PyTorch that is installed.
signatures: $(STAMP)
	$(BIN)/python -m akgen.tools.reference.signatures > knowledge/data/signatures.txt

# All sentences that people may say in a conversation: what is understood computes what PyTorch computes.
sentences: $(STAMP)
	@PYTHONPATH=. $(BIN)/python tests/agents/sentences/check.py $(notdir $(wildcard tests/agents/sentences/*.txt))
	@for set in tests/agents/sentences/blind_*.jsonl; do PYTHONPATH=. $(BIN)/python tests/agents/sentences/blind.py $$set || exit 1; done
	@for set in tests/agents/sentences/wordings_*.jsonl; do PYTHONPATH=. $(BIN)/python tests/agents/sentences/wordings.py $$set || exit 1; done

CPP = $$(find tools -name "*.h" -o -name "*.hpp" -o -name "*.cpp")
lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CPP)

format: $(STAMP)
	$(BIN)/ruff format -q .
	$(BIN)/clang-format -i $(CPP)

check: lint test

bench: $(STAMP)
	@$(BIN)/akgen bench speed
	@$(BIN)/akgen data rate

# How often the tests of `akgen bench compare` call equal runs different, and different ones apart, in simulated runs.
.PHONY: error-rates
error-rates: $(STAMP)
	$(BIN)/python -m pytest -q -m "slow or not slow" tests/bench/test_statistics.py

# Many verdicts with workers killed all the time: none is lost, none counts twice. `make scale-kill N=2000 EVERY=20 EXECUTOR=ray`.
.PHONY: scale-kill
EVERY ?= 20
EXECUTOR ?= ray
scale-kill: N = 2000
scale-kill: $(STAMP)
	@$(BIN)/python tests/end_to_end/scale_kill.py --count $(N) --every $(EVERY) --executor $(EXECUTOR)
	@$(BIN)/python -m pytest -q -m slow tests/conformance/test_executors_killed.py

# How long the house takes to read and to start: `make metrics ROOT=OLD` measures another checkout.
metrics: $(STAMP)
	@$(BIN)/python tests/house/metrics.py $(if $(ROOT),--root $(ROOT))

# The use of every API card runs, and its mistake gets its finding; `make test` runs a sample.
.PHONY: cards
cards: $(STAMP)
	$(BIN)/python -m pytest -q -m slow tests/knowledge/test_card_snippets.py

# For how many of the interfaces that a known-good kernel calls the prompt has the card; AKGEN_NPUKB_ROOT adds its tasks.
recall: $(STAMP)
	@$(BIN)/python -m pytest -q -m slow tests/agents/test_retrieval_recall.py

# Of the mistakes in tests/agents/mistakes/, for how many the first finding names cause and remedy.
mistakes: $(STAMP)
	@AKGEN_MISTAKES=1 $(BIN)/python -m pytest -q -s tests/agents/test_mistakes.py -k nine_tenths

# Of 200 faults in host code and 200 in kernels, for how many the first finding names the right change.
remedies: $(STAMP)
	@AKGEN_REMEDIES=200 $(BIN)/python -m pytest -q -s tests/twin/remedies

# Which changes of the judge, graph decisions, effects, budgets, replies and HTTP client no fast test notices: `make mutate`, or
# `make mutate FILES="policy budget"`.
mutate: $(STAMP)
	@$(BIN)/python -c "import mutmut" 2>/dev/null || $(BIN)/pip install -q -e '.[mutation]'
	@rm -rf mutants # results of changed tests would be stale
	$(BIN)/python -m mutmut run $(foreach f,$(FILES),"akgen.*.$(f).*")
	@$(BIN)/python tests/house/mutants.py

docs: $(STAMP)
	@mkdir -p build/docs
	@$(BIN)/akgen explain --markdown > build/docs/checks.md
	@echo build/docs/checks.md

# The pages of docs/kernels/: tile program, passes and timeline of five kernels.
kernel-pages: $(STAMP)
	@$(BIN)/python -m akgen.bench.kernel_pages

# Mutated kernels through compiler, launcher and judge of outcomes: `make fuzz N=20000 SEED=1`.
N ?= 1000
SEED ?= 1
fuzz: $(STAMP)
	@$(BIN)/python tests/twin/fuzz.py --count $(N) --seed $(SEED)

# Hostile documents through every reader of text that others wrote: `make fuzz-readers N=5000 SEED=1`.
fuzz-readers: $(STAMP)
	@$(BIN)/python tests/readers/fuzz.py --count $(N) --seed $(SEED)

# Every expert kernel on all cases of its task, and its share of the roofline on a long one.
experts: $(STAMP)
	@$(BIN)/python -m pytest -q -s -m slow tests/knowledge/test_patterns.py

# Expert kernels made slow on purpose: how near `akgen optimise` without a model comes to the expert's speed.
slow-kernels: $(STAMP)
	@AKGEN_SLOW_KERNELS=all $(BIN)/python -m pytest -q -s tests/agents/test_slow_kernels.py -k become

# A strong model's recorded replies, played without it: the same kernels, and they are correct. AKGEN_NPUKB_ROOT and
# AKGEN_MKB_ROOT name the checkouts for recordings of their tasks.
recordings: $(STAMP)
	@$(BIN)/python -m pytest -q tests/end_to_end/test_recordings.py

# The whole graph with --toolchain cann over a CANN of our own, which runs kernels on the twin: twenty tasks, then the faults
# of a machine, as a table of outcome, remedy and seconds: `make rehearsal`, or `make rehearsal TASKS= FAULT="disk full"`.
TASKS ?= all
rehearsal: $(STAMP)
	@PYTHONPATH=. $(BIN)/python -m tests.fake_cann.rehearsal $(if $(filter all,$(TASKS)),,--tasks="$(TASKS)") --faults="$(FAULT)"

# Modules as users write them: composed, compiled and judged on the twin.
user-modules: $(STAMP)
	@$(BIN)/akgen bench run tests/user_modules --trials 1 --out build/user-modules

# Random programs of the tile DSL: interpreter, twin and PyTorch agree: `make random-programs N=5000 SEED=1`.
random-programs: $(STAMP)
	@$(BIN)/python tests/dsl/fuzz_language.py --count $(N) --seed $(SEED)

# The runtime's entry points, called by sealed kernels with any bytes: `make fuzz-calls N=5000 SEED=1 WITH=--sanitized`.
fuzz-calls: $(STAMP)
	@$(BIN)/python tests/twin/fuzz_calls.py --count $(N) --seed $(SEED) $(WITH)

# The hostile programs as the user who asks, in the whole sandbox and without namespaces and Landlock; as root, as nobody too.
red-team: $(STAMP)
	@status=0; attacks="-m pytest -q -p no:cacheprovider tests/adversarial/test_seal.py"; \
	for only in "" 1; do \
		AKGEN_SECCOMP_ONLY=$$only $(BIN)/python $$attacks || status=1; \
		test "$$(id -u)" != 0 || AKGEN_SECCOMP_ONLY=$$only tests/adversarial/as_nobody.sh $(BIN)/python $$attacks || status=1; \
	done; exit $$status

# The twin's runtime under AddressSanitizer and UndefinedBehaviorSanitizer, over the corpus.
sanitize: $(STAMP)
	@$(BIN)/python -m pytest -m slow tests/twin/test_sanitized.py

calibrate: $(STAMP)
	@$(BIN)/python -m akgen.bench.calibrate tests/twin/calibration

clean:
	rm -rf $(VENV) build dist *.egg-info src/*.egg-info .mypy_cache .ruff_cache .pytest_cache
