// A task that a binding hands to the stream: it runs at once.
#pragma once
#include "torch_npu/csrc/core/npu/NPUStream.h"
#include <functional>
#include <string>

namespace at_npu::native {

class OpCommand {
public:
    OpCommand &Name(const std::string &) { return *this; }
    template <typename F> OpCommand &SetCustomHandler(F handler)
    {
        handler_ = [handler]() mutable { return static_cast<int>(handler()); };
        return *this;
    }
    void Run()
    {
        if (handler_) {
            TORCH_CHECK(handler_() == 0, "a task of the stream failed");
        }
    }
    template <typename F> static void RunOpApi(const std::string &name, F handler, bool = false)
    {
        OpCommand().Name(name).SetCustomHandler(handler).Run();
    }
    template <typename F> static void RunOpApiV2(const std::string &name, F handler, bool = false)
    {
        RunOpApi(name, handler);
    }

private:
    std::function<int()> handler_;
};

} // namespace at_npu::native
