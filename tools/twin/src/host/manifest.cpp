#include "manifest.h"

#include <fstream>
#include <stdexcept>

#include "graph/types.h"

namespace akgen::host {

namespace {

using Words = std::vector<std::string>;

Words split(const std::string &text, char by)
{
    Words words;
    size_t begin = 0;
    for (size_t at = text.find(by); at != std::string::npos; at = text.find(by, begin)) {
        words.push_back(text.substr(begin, at - begin));
        begin = at + 1;
    }
    words.push_back(text.substr(begin));
    return words;
}

Words items(const std::string &text) { return text.empty() ? Words{} : split(text, ','); }

std::string from_hex(const std::string &hex)
{
    std::string out;
    for (size_t i = 0; i + 1 < hex.size(); i += 2) {
        out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    return out;
}

// words: DTYPE SHAPE FORMAT VALUES
void add_tensor(Node &node, bool input, const Words &words, size_t from)
{
    if (words.size() < from + 4) {
        throw std::runtime_error("a tensor line is too short");
    }
    const ge::DataType type = ge::TypeUtils::SerialStringToDataType(words[from]);
    gert::StorageShape shape;
    if (words[from + 1] != "-") {
        for (const std::string &dim : split(words[from + 1], ',')) {
            shape.MutableOriginShape().AppendDim(std::stoll(dim));
        }
    }
    shape.MutableStorageShape() = shape.GetOriginShape();
    const ge::Format layout = ge::TypeUtils::SerialStringToFormat(words[from + 2]);
    const gert::StorageFormat format(layout, layout);
    gert::Tensor tensor(shape, format, type);
    if (words[from + 3] != "-") {
        std::ifstream in(words[from + 3], std::ios::binary);
        node.values.push_back(std::make_unique<std::vector<uint8_t>>(std::istreambuf_iterator<char>(in),
                                                                     std::istreambuf_iterator<char>()));
        tensor.SetHostData(node.values.back()->data(), node.values.back()->size());
    }
    (input ? node.inputs : node.outputs).push_back(tensor);
    (input ? node.input_descs : node.output_descs).emplace_back(type, format);
}

void add_attr(Node &node, const Words &words)
{
    auto slot = std::make_unique<AttrSlot>();
    if (words.size() >= 2 && words[1] != "none") {
        slot->type = words[1];
        if (slot->type == "list_list_int") {
            for (size_t row = 2; row < words.size(); ++row) {
                slot->rows.emplace_back();
                for (const std::string &item : items(words[row])) {
                    slot->rows.back().push_back(std::stoll(item));
                }
            }
            for (const std::vector<int64_t> &row : slot->rows) {
                slot->lists.Append(gert::ContinuousVector(row.data(), row.size()));
            }
            node.attrs.push_back(std::move(slot));
            return;
        }
        const std::string &value = words.at(2);
        if (slot->type == "int") {
            slot->integer = std::stoll(value);
        } else if (slot->type == "float") {
            slot->real = std::stof(value);
        } else if (slot->type == "bool") {
            slot->flag = value == "1";
        } else if (slot->type == "str") {
            slot->text = from_hex(value);
        } else if (slot->type == "list_int") {
            for (const std::string &item : items(value)) {
                slot->integers.push_back(std::stoll(item));
            }
            slot->list = gert::ContinuousVector(slot->integers.data(), slot->integers.size());
        } else if (slot->type == "list_float") {
            for (const std::string &item : items(value)) {
                slot->reals.push_back(std::stof(item));
            }
            slot->list = gert::ContinuousVector(slot->reals.data(), slot->reals.size());
        } else if (slot->type == "list_bool") {
            const Words flags = items(value);
            slot->flags = std::make_unique<bool[]>(flags.size() + 1);
            for (size_t i = 0; i < flags.size(); ++i) {
                slot->flags[i] = flags[i] == "1";
            }
            slot->list = gert::ContinuousVector(slot->flags.get(), flags.size());
        } else {
            throw std::runtime_error("unknown attribute type " + slot->type);
        }
    }
    node.attrs.push_back(std::move(slot));
}

} // namespace

Manifest Manifest::read(const std::string &path)
{
    Manifest m;
    Node &node = *m.node;
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line) || line != "akgen-twin-host\t1") {
        throw std::runtime_error(path + " is not a manifest of this version");
    }
    while (std::getline(file, line)) {
        const Words words = split(line, '\t');
        const std::string &key = words[0];
        if (key == "chip") {
            m.chip = words.at(1);
        } else if (key == "host") {
            m.host = words.at(1);
        } else if (key == "op") {
            m.op = words.at(1);
            node.type = node.name = m.op;
        } else if (key == "report") {
            m.report = words.at(1);
        } else if (key == "call") {
            m.has_call = true;
            m.tiling = words.at(1);
        } else if (key == "again") {
            m.calls_before = std::stoul(words.at(1));
        } else if (key == "in" || key == "out") {
            const bool input = key == "in";
            const size_t start = (input ? node.inputs : node.outputs).size();
            size_t count = 0;
            if (words.at(1) == "tensor") {
                add_tensor(node, input, words, 2);
                count = 1;
            } else if (words[1] == "list") {
                count = std::stoul(words.at(2));
                for (size_t i = 0; i < count && std::getline(file, line); ++i) {
                    add_tensor(node, input, split(line, '\t'), 1);
                }
            }
            (input ? node.ir_inputs : node.ir_outputs).emplace_back(start, count);
        } else if (key == "attr") {
            add_attr(node, words);
        }
    }
    return m;
}

} // namespace akgen::host
