// A tiling that a host function fills or reads: the class of optiling, or the plain structure of AscendC::tiling, whose
// bytes are those that the class writes.
#ifndef AKGEN_ADV_API_FILLED_TILING_H
#define AKGEN_ADV_API_FILLED_TILING_H
#include "../../include/kernel_tiling/kernel_tiling.h"
#include "register/tilingdata_base.h"

namespace akgen {
namespace host {

template <class Plain> struct RegisteredTiling {}; // `type`: the class with the structure's fields

// Names either. What is set in it stands in the structure at once; the rest of a structure stays as it is.
template <class Def> class FilledTiling {
public:
    FilledTiling(Def &tiling) : named_(&tiling) {}
    template <class Plain,
              class = typename std::enable_if<std::is_same<typename RegisteredTiling<Plain>::type, Def>::value>::type>
    FilledTiling(Plain &tiling) : plain_(&tiling)
    {
        static_assert(std::is_trivially_copyable<Plain>::value, "");
        own_.LoadFromBuffer(&tiling, sizeof(Plain));
        own_.SetDataPtr(plain_);
    }
    // C++11 asks for it where an argument is converted.
    FilledTiling(FilledTiling &&other) : own_(other.own_), named_(other.named_), plain_(other.plain_)
    {
        own_.SetDataPtr(plain_);
    }
    FilledTiling(const FilledTiling &) = delete;
    FilledTiling &operator=(const FilledTiling &) = delete;
    Def *operator->() { return &**this; }
    Def &operator*() { return named_ != nullptr ? *named_ : own_; }

private:
    Def own_;
    Def *named_ = nullptr;
    void *plain_ = nullptr;
};

} // namespace host
} // namespace akgen

#define AKGEN_REGISTERED_TILING(Name, Fields)                                                                          \
    namespace akgen {                                                                                                  \
    namespace host {                                                                                                   \
    template <> struct RegisteredTiling<::Name> {                                                                      \
        using type = ::optiling::Name;                                                                                 \
    };                                                                                                                 \
    }                                                                                                                  \
    }
#endif
