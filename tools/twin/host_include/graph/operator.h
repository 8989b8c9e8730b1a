// A node of the graph, as support checks see it.
#ifndef AKGEN_GRAPH_OPERATOR_H
#define AKGEN_GRAPH_OPERATOR_H
#include "graph/types.h"

namespace ge {

// Shapes as library tilings take them.
class AKGEN_HOST_API Shape {
public:
    Shape() = default;
    explicit Shape(const std::vector<int64_t> &dims) : dims_(dims) {}
    size_t GetDimNum() const { return dims_.size(); }
    int64_t GetDim(size_t i) const { return i < dims_.size() ? dims_[i] : 0; }
    graphStatus SetDim(size_t i, int64_t value)
    {
        if (i >= dims_.size()) {
            return GRAPH_FAILED;
        }
        dims_[i] = value;
        return GRAPH_SUCCESS;
    }
    std::vector<int64_t> GetDims() const { return dims_; }
    int64_t GetShapeSize() const
    {
        int64_t size = dims_.empty() ? 0 : 1;
        for (int64_t d : dims_) {
            size *= d;
        }
        return size;
    }

private:
    std::vector<int64_t> dims_;
};

class AKGEN_HOST_API TensorDesc {
public:
    TensorDesc() = default;
    explicit TensorDesc(Shape shape, Format format = FORMAT_ND, DataType type = DT_FLOAT)
        : shape_(std::move(shape)), format_(format), type_(type)
    {
    }
    Shape GetShape() const { return shape_; }
    Shape GetOriginShape() const { return shape_; }
    Format GetFormat() const { return format_; }
    Format GetOriginFormat() const { return format_; }
    DataType GetDataType() const { return type_; }
    void SetShape(const Shape &shape) { shape_ = shape; }
    void SetFormat(Format format) { format_ = format; }
    void SetDataType(DataType type) { type_ = type; }

private:
    Shape shape_;
    Format format_ = FORMAT_ND;
    DataType type_ = DT_UNDEFINED;
};

// Not filled by the twin: support checks belong to graph compilation, which it does not do.
class AKGEN_HOST_API Operator {
public:
    Operator() = default;
    Operator(const char *name, const char *type) : name_(name), type_(type) {}
    graphStatus GetName(AscendString &name) const
    {
        name = name_;
        return GRAPH_SUCCESS;
    }
    graphStatus GetOpType(AscendString &type) const
    {
        type = type_;
        return GRAPH_SUCCESS;
    }
    TensorDesc GetInputDescByName(const char *) const { return TensorDesc(); }
    TensorDesc GetOutputDescByName(const char *) const { return TensorDesc(); }
    TensorDesc GetInputDesc(uint32_t) const { return TensorDesc(); }
    TensorDesc GetOutputDesc(uint32_t) const { return TensorDesc(); }
    template <class T> graphStatus GetAttr(const char *, T &) const { return GRAPH_FAILED; }
    size_t GetInputsSize() const { return 0; }
    size_t GetOutputsSize() const { return 0; }

private:
    AscendString name_;
    AscendString type_;
};

} // namespace ge
#endif
