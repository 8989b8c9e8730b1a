"""Documents as they should be: what the fuzzer begins with."""

import json
from pathlib import Path

from akgen.tools.core.profile import PipeTime, Profile, Waits

TESTS = Path(__file__).resolve().parents[1]
PROFILE = Profile(
    time_source="predicted",
    toolchain="twin 1",
    time_us=2.0,
    cores=1,
    gm_read_bytes=1,
    gm_write_bytes=1,
    pipes=(
        PipeTime(
            pipe="V",
            busy_us=1.0,
            stalled_us=0.0,
            idle_us=1.0,
            instructions=3,
            waits=Waits(data_us=0.0, buffer_us=0.0, issue_us=0.0),
        ),
    ),
    bound="vector",
    roofline_share=0.5,
    core_imbalance=1.0,
)
RUN = TESTS / "graph" / "earlier_run"
PLACE = "tasks/softmax_rows/"


def seed(path: Path) -> bytes:
    return path.read_bytes()


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


USAGE = {"input_tokens": 3, "output_tokens": 4, "seconds": 1.0, "cost": 0.0}
CALL = {
    "key": "abc",
    "role": "coder",
    "attempt": 1,
    "turn": 1,
    "model": "m",
    "endpoint": "e",
    "prompt_sha256": "0",
    "parameters": {"n": 1},
    "at": "2026-01-01T00:00:00Z",
    "tries": 1,
    "usage": USAGE,
    "replies": [
        {
            "sample": 0,
            "text": "x",
            "ended": "stop",
            "usage": USAGE,
            "token_ids": [1, 2],
            "logprobs": [-0.5, -1],
        }
    ],
}
CHOICE = {
    "index": 0,
    "finish_reason": "stop",
    "message": {"role": "assistant", "content": "hello", "reasoning": "a thought"},
    "token_ids": [1, 2],
    "logprobs": {"content": [{"token": "a", "logprob": -0.5}]},
}
ANSWER = {
    "id": "1",
    "model": "m",
    "choices": [CHOICE],
    "usage": {"prompt_tokens": 5, "completion_tokens": 2},
    "prompt_token_ids": [1, 2, 3],
}
DELTA = {**ANSWER, "choices": [{"index": 0, "delta": {"content": "he"}, "finish_reason": None}]}
LAUNCH = {
    "kind": "launch",
    "cores": 8,
    "at_once": 8,
    "cycles": 4000.5,
    "start_cycles": 100.5,
    "cold_cycles": 4000.5,
    "warm_cycles": 3000.5,
    "clock_mhz": 1800,
    "gm_read_bytes": 4096,
    "gm_write_bytes": 4096,
    "pipes": {
        "V": {
            "busy": 1.0,
            "stalled": 2.0,
            "idle": 3.0,
            "instructions": 4,
            "waited": {"data": 1, "buffer": 2, "issue": 3},
        }
    },
    "bound": "memory",
    "roofline_share": 0.4,
    "core_imbalance": 1.1,
    "what_if": [{"change": "double_buffer", "cycles": 3000.0, "cores": 8, "fits": True}],
}
FINDING = {
    "kind": "diagnostic",
    "code": "GM_OVERRUN",
    "api": "DataCopy",
    "text": "too long",
    "severity": "error",
    "core": "aiv0",
    "so_offset": 5000,
    "count": 2,
}
SPAN = {
    "ph": "X",
    "name": "Add",
    "pid": 0,
    "tid": 1,
    "ts": 1.5,
    "dur": 0.25,
    "args": {"so_offset": 7, "elements": 64, "dtype": "float"},
}
TRACE = {
    "displayTimeUnit": "ns",
    "traceEvents": [
        {"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "aiv0"}},
        {"ph": "M", "name": "thread_name", "pid": 0, "tid": 1, "args": {"name": "V"}},
        SPAN,
        SPAN,
        SPAN | {"cat": "wait", "name": "waits for MTE2"},
        SPAN
        | {"cat": "buffer", "name": "UB", "tid": 100, "args": {"so_offset": 9, "offset": 0, "bytes": 8192}},
        {"ph": "s", "cat": "flag", "name": "data", "id": 1, "pid": 0, "tid": 1, "ts": 1.5},
        {"ph": "f", "bp": "e", "cat": "flag", "name": "data", "id": 1, "pid": 0, "tid": 1, "ts": 1.7},
        {"ph": "C", "name": "UB in use", "pid": 0, "ts": 0.5, "args": {"bytes": 8192}},
    ],
    "lines": [{"so_offset": 7, "pipe": "V", "busy": 20.5, "stalled": 1.0, "instructions": 3}],
    "otherData": {"clock_mhz": 1800.0, "events_left_out": 2, "memories": {"UB": 196608}},
}
HOST = {
    "op": None,
    "ops": ["AddCustom"],
    "impls": [],
    "templates": [],
    "tiling_classes": [
        {
            "op_type": "AddCustom",
            "class": "T",
            "size": 8,
            "fields": [
                {
                    "type": "uint32_t",
                    "name": "n",
                    "count": 0,
                    "bytes": 4,
                    "offset": 0,
                    "fields": None,
                    "size": 4,
                }
            ],
        }
    ],
}
PLAN = {"thought": "split", "category": "elementwise", "apis": ["Add"], "risks": [], "tiling": None}
SAID = {"at": "2026-01-01T00:00:00Z", "who": "person", "text": "a softmax", "task": None}
VERDICT = {"outcome": "correct", "toolchain": "twin 1", "compile_s": 1.0, "cases": []}
CODE = b"""<think>so</think>
================== op_kernel/add.cpp ==================
```cpp
int a;
```
op_kernel/add.cpp
<<<<<<< SEARCH
int a;
=======
int c;
>>>>>>> REPLACE
--- a/op_kernel/add.cpp
+++ b/op_kernel/add.cpp
@@ -1,2 +1,2 @@
-int a;
+int d;
 int b;
<kernel_impl>
```cpp
void f() {}
```
</kernel_impl>
"""
PYTHON = b"""import torch
class Model(torch.nn.Module):
    def forward(self, x): return torch.relu(x) + 1.0
def get_inputs(): return [torch.randn(3, 4)]
def get_init_inputs(): return []
"""
SUMMARY = (
    b"OP Type,Task Duration(us),Block Dim,aiv_vec_time(us),mte2_time(us)\n"
    b"AddCustom,4.5,8,1.0,N/A\nAddCustom,5,8,1,2\n"
)
CSV = b"case_id;shape;dtype;scale;axes\n0;[1, 2];float32;1.5;[0]\n1;[3, [4, 5]];float16;2;None\n"
SENTENCE = b"write a softmax over the last axis in float16 for shape (32, 128) with 8 cores\ny = torch.softmax(x, -1)"
LOADED = b"""int other();
int kept = other();
extern "C" int pick(int a) { return other() + a; }
extern "C" int (*choose())(int) { return pick; }
extern "C" int picked(int) __attribute__((ifunc("choose")));
"""
MESSAGES = b"""In file included from op_kernel/add.cpp:1:
op_kernel/add.cpp: In function 'void f()':
op_kernel/add.cpp:2:5: error: 'b' was not declared in this scope; did you mean 'a'?
op_kernel/add.cpp:1:5: note: declared here
op_kernel/add.cpp:2:9:   required from here
op_kernel/add.cpp:2: undefined reference to `f(int)'
/usr/bin/ld.gold: op_kernel/add.cpp:1: undefined reference to 'g'
op_kernel/add.cpp:1:0: error: AKGEN:STACK_OVERFLOW: the stack
op_kernel/add.cpp:2:7: error: member 'A::n' must be initialized by mem-initializer in 'constexpr' constructor
op_kernel/add.cpp:1:10: fatal error: x.h: No such file or directory
"""
GIMPLE = b"""
;; Function float a(unsigned int) (_Z1aj, funcdef_no=0, decl_uid=1, cgraph_uid=1, symbol_order=0)

__attribute__((noplt))
float a (uint32_t n)
{
  half h;
  float D.1;
  [op_kernel/add.cpp:1:39] D.1 = (float) n;
  [op_kernel/add.cpp:2:39] h = h + h;
  [op_kernel/add.cpp:3:39] b (D.1);
}
"""
LLVM_IR = b"""; ModuleID = 'add.cpp'
define float @_Z1aj(i32 %n) !dbg !5 {
  %1 = uitofp i32 %n to float, !dbg !7
  %2 = fadd half %h, %h, !dbg !7
  ret float %1, !dbg !7
}
!3 = !DIFile(filename: "op_kernel/add.cpp", directory: ".")
!5 = distinct !DISubprogram(name: "a", scope: !3, file: !3, line: 1, type: !6)
!7 = !DILocation(line: 1, column: 46, scope: !5)
"""
PLACES = b"""0x0000000000001139
f(int)
/project/op_kernel/add.cpp:2 (discriminator 3)
main
??:?
0x0000000000001140
??
??:0
"""
OPERATOR_BASICS = b"Op Name,Op Type,Task Duration(us),Current Freq\nAddCustom_1_0,vector,2.0,1800\n"
OPERATOR_CORES = (
    b"block_id,sub_block_id,aiv_time(us),aiv_vec_time(us),aiv_mte2_wait_ratio,GM_to_UB_datas(KB)\n"
    b"0,vector0,2.0,0.5,0.1,64\n1,vector0,1.5,NA,0.2,64\n"
)
FITTED = lines(
    {
        "chip": "Ascend910B2", "constants": {"dma_issue_cycles": 25.0, "vec Exp float": 40.0}, "points": 3,
        "families": ["a"], "fitted_to": ["r"], "toolchain": "cann 8.1", "rehearsal": False,
        "held_out_before": 0.2, "held_out_after": 0.1,
    }
)  # fmt: skip
