// PyTorch's device for accelerators of others (PrivateUse1) over host memory, so that bindings see tensors that are not
// the CPU's. What the device itself does not compute, the CPU does. One device, one stream, nothing asynchronous.
#include "acl/acl_rt.h"
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/strides.h>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <torch/library.h>

namespace {

constexpr auto npu = c10::DeviceType::PrivateUse1;

struct Memory {
    std::mutex mutex;
    std::map<uint8_t *, size_t> used;
};
Memory &memory()
{
    static auto *all = new Memory; // tensors may outlive statics
    return *all;
}

struct NpuAllocator final : at::Allocator {
    static void drop(void *data)
    {
        const std::lock_guard lock(memory().mutex);
        memory().used.erase(static_cast<uint8_t *>(data));
        std::free(data);
    }
    at::DataPtr allocate(size_t bytes) override
    {
        void *data = nullptr;
        if (bytes > 0) {
            TORCH_CHECK(posix_memalign(&data, 512, bytes) == 0, "the device has no memory left");
            std::memset(data, 0xff, bytes); // memory of a device may hold anything
            const std::lock_guard lock(memory().mutex);
            memory().used[static_cast<uint8_t *>(data)] = bytes;
        }
        return {data, data, drop, c10::Device(npu, 0)};
    }
    at::DeleterFnPtr raw_deleter() const override { return drop; }
    void copy_data(void *to, const void *from, size_t bytes) const override { std::memcpy(to, from, bytes); }
};
NpuAllocator allocator;
REGISTER_ALLOCATOR(npu, &allocator)

struct NpuGuard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override { return npu; }
    c10::Device exchangeDevice(c10::Device) const override { return {npu, 0}; }
    c10::Device getDevice() const override { return {npu, 0}; }
    void setDevice(c10::Device) const override {}
    void uncheckedSetDevice(c10::Device) const noexcept override {}
    c10::Stream getStream(c10::Device device) const override { return c10::Stream(c10::Stream::DEFAULT, device); }
    c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
    c10::Stream getNewStream(c10::Device device, int) const override { return getStream(device); }
    c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return getStream(device); }
    c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }
    c10::DeviceIndex deviceCount() const noexcept override { return 1; }
    bool queryStream(const c10::Stream &) const override { return true; }
    void synchronizeStream(const c10::Stream &) const override {}
    void record(void **, const c10::Stream &, c10::DeviceIndex, c10::EventFlag) const override {}
    void block(void *, const c10::Stream &) const override {}
    bool queryEvent(void *) const override { return true; }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, NpuGuard);

struct NpuHooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return true; }
    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
    c10::DeviceIndex deviceCount() const override { return 1; }
    void setCurrentDevice(c10::DeviceIndex) const override {}
    c10::DeviceIndex getCurrentDevice() const override { return 0; }
    c10::DeviceIndex exchangeDevice(c10::DeviceIndex) const override { return 0; }
    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex) const override { return 0; }
    const at::Generator &getDefaultGenerator(c10::DeviceIndex) const override
    {
        return at::detail::getDefaultCPUGenerator();
    }
    at::Generator getNewGenerator(c10::DeviceIndex) const override { return at::detail::createCPUGenerator(); }
    at::Allocator *getPinnedMemoryAllocator() const override { return c10::GetAllocator(c10::DeviceType::CPU); }
    void resizePrivateUse1Bytes(const c10::Storage &storage, size_t bytes) const override
    {
        c10::StorageImpl *of = storage.unsafeGetStorageImpl();
        at::DataPtr fresh = allocator.allocate(bytes);
        std::memcpy(fresh.get(), of->data(), std::min(bytes, of->nbytes()));
        of->set_data_ptr_noswap(std::move(fresh));
        of->set_nbytes(bytes);
    }
};

// The same memory as a tensor of the CPU.
at::Tensor on_cpu(const at::Tensor &t)
{
    if (t.is_cpu() || t.numel() == 0) {
        return t.is_cpu() ? t : at::empty(t.sizes(), t.options().device(at::kCPU));
    }
    return at::from_blob(t.data_ptr(), t.sizes(), t.strides(), t.options().device(at::kCPU));
}

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                 std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat> format)
{
    constexpr c10::DispatchKeySet keys(c10::DispatchKey::PrivateUse1);
    return at::detail::empty_generic(size, &allocator, keys, c10::dtype_or_default(dtype), format);
}
at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>)
{
    constexpr c10::DispatchKeySet keys(c10::DispatchKey::PrivateUse1);
    return at::detail::empty_strided_generic(size, stride, &allocator, keys, c10::dtype_or_default(dtype));
}
at::Tensor copy_from(const at::Tensor &from, const at::Tensor &to, bool)
{
    on_cpu(to).copy_(on_cpu(from));
    return to;
}
at::Tensor &copy_into(at::Tensor &to, const at::Tensor &from, bool)
{
    on_cpu(to).copy_(on_cpu(from));
    return to;
}
at::Tensor copy_from_and_resize(const at::Tensor &from, const at::Tensor &to)
{
    to.resize_(from.sizes());
    return copy_from(from, to, false);
}
at::Scalar item(const at::Tensor &t) { return on_cpu(t).item(); }
const at::Tensor &resize(const at::Tensor &t, at::IntArrayRef size, std::optional<at::MemoryFormat>)
{
    const auto strides = c10::contiguous_strides(size);
    const auto needed = static_cast<size_t>((c10::multiply_integers(size) + t.storage_offset()) * t.itemsize());
    if (needed > t.storage().nbytes()) {
        at::detail::getPrivateUse1Hooks().resizePrivateUse1Bytes(t.storage(), needed);
    }
    t.unsafeGetTensorImpl()->set_sizes_and_strides(size, strides);
    return t;
}
at::Tensor view(const at::Tensor &t, c10::SymIntArrayRef size)
{
    return at::native::view(t, C10_AS_INTARRAYREF_SLOW(size));
}
at::Tensor as_strided(const at::Tensor &t, at::IntArrayRef size, at::IntArrayRef stride, std::optional<int64_t> offset)
{
    return at::native::as_strided_tensorimpl(t, size, stride, offset);
}
at::Tensor reshape_alias(const at::Tensor &t, c10::SymIntArrayRef size, c10::SymIntArrayRef stride)
{
    return at::native::_reshape_alias(t, C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride));
}
void on_the_cpu(const c10::OperatorHandle &op, torch::jit::Stack *stack) { at::native::cpu_fallback(op, stack); }

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("empty.memory_format", empty);
    m.impl("empty_strided", empty_strided);
    m.impl("_copy_from", copy_from);
    m.impl("_copy_from_and_resize", copy_from_and_resize);
    m.impl("copy_", copy_into);
    m.impl("_local_scalar_dense", item);
    m.impl("resize_", resize);
    m.impl("view", view);
    m.impl("as_strided", as_strided);
    m.impl("_reshape_alias", reshape_alias);
}
TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&on_the_cpu>()); }

} // namespace

// Called once by Python, after the library is loaded.
extern "C" __attribute__((visibility("default"))) void akgen_npu_register()
{
    static NpuHooks hooks;
    if (!at::isPrivateUse1HooksRegistered()) {
        at::RegisterPrivateUse1HooksInterface(&hooks);
    }
}

// Find the device memory that holds an address. Returns whether there is some.
extern "C" __attribute__((visibility("default"))) bool akgen_npu_find(const void *address, uint8_t **base,
                                                                      size_t *bytes)
{
    Memory &all = memory();
    const std::lock_guard lock(all.mutex);
    auto *at = const_cast<uint8_t *>(static_cast<const uint8_t *>(address));
    auto next = all.used.upper_bound(at);
    if (next == all.used.begin()) {
        return false;
    }
    --next;
    *base = next->first;
    *bytes = next->second;
    return at < next->first + next->second;
}

// The vendor's runtime, as far as bindings call it: everything has happened when it returns.
#define AKGEN_ACL extern "C" __attribute__((visibility("default")))
AKGEN_ACL aclError aclrtSynchronizeStream(aclrtStream) { return ACL_SUCCESS; }
AKGEN_ACL aclError aclrtSynchronizeStreamWithTimeout(aclrtStream, int32_t) { return ACL_SUCCESS; }
AKGEN_ACL aclError aclrtSynchronizeDevice() { return ACL_SUCCESS; }
AKGEN_ACL aclError aclrtGetDevice(int32_t *device)
{
    *device = 0;
    return ACL_SUCCESS;
}
AKGEN_ACL aclError aclrtSetDevice(int32_t) { return ACL_SUCCESS; }
AKGEN_ACL const char *aclGetRecentErrMsg() { return nullptr; }
AKGEN_ACL aclError aclrtMalloc(void **to, size_t bytes, aclrtMemMallocPolicy)
{
    *to = allocator.raw_allocate(bytes);
    return ACL_SUCCESS;
}
AKGEN_ACL aclError aclrtFree(void *data)
{
    NpuAllocator::drop(data);
    return ACL_SUCCESS;
}
AKGEN_ACL aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind)
{
    if (bytes > room) {
        return ACL_ERROR_INVALID_PARAM;
    }
    std::memmove(to, from, bytes);
    return ACL_SUCCESS;
}
AKGEN_ACL aclError aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind kind,
                                    aclrtStream)
{
    return aclrtMemcpy(to, room, from, bytes, kind);
}
AKGEN_ACL aclError aclrtMemset(void *to, size_t room, int32_t value, size_t bytes)
{
    if (bytes > room) {
        return ACL_ERROR_INVALID_PARAM;
    }
    std::memset(to, value, bytes);
    return ACL_SUCCESS;
}
AKGEN_ACL aclError aclrtMemsetAsync(void *to, size_t room, int32_t value, size_t bytes, aclrtStream)
{
    return aclrtMemset(to, room, value, bytes);
}
