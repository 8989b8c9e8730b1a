#include "manifest.h"
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace akgen::twin {

namespace {
using Fields = std::vector<std::string>;

Fields split(const std::string &line, char by)
{
    Fields parts;
    std::istringstream stream(line);
    for (std::string part; std::getline(stream, part, by);) {
        parts.push_back(part);
    }
    return parts;
}

uint64_t element_bits(const std::string &dtype)
{
    static const std::map<std::string, uint64_t> bits = {
        {"float32", 32}, {"float", 32},    {"float16", 16}, {"half", 16},     {"bfloat16", 16}, {"bfloat16_t", 16},
        {"float64", 64}, {"double", 64},   {"int8", 8},     {"int8_t", 8},    {"int16", 16},    {"int16_t", 16},
        {"int32", 32},   {"int32_t", 32},  {"int64", 64},   {"int64_t", 64},  {"uint8", 8},     {"uint8_t", 8},
        {"uint16", 16},  {"uint16_t", 16}, {"uint32", 32},  {"uint32_t", 32}, {"uint64", 64},   {"uint64_t", 64},
        {"bool", 8},     {"int4", 4},      {"int4b_t", 4},  {"complex64", 64}};
    const auto found = bits.find(dtype);
    if (found == bits.end()) {
        throw std::runtime_error("unknown dtype " + dtype);
    }
    return found->second;
}

TensorItem item(const Fields &fields, size_t first)
{
    TensorItem tensor{fields.at(first), {}, fields.at(first + 2)};
    element_bits(tensor.dtype);
    if (fields.at(first + 1) != "-") {
        for (const std::string &size : split(fields.at(first + 1), ',')) {
            tensor.shape.push_back(std::stoull(size));
        }
    }
    return tensor;
}

class Reader {
public:
    explicit Reader(const std::string &path) : file_(path)
    {
        if (!file_) {
            throw std::runtime_error("the launch manifest " + path + " cannot be read");
        }
    }
    bool next(Fields &fields)
    {
        std::string line;
        while (std::getline(file_, line)) {
            ++number;
            fields = split(line, '\t');
            if (!fields.empty()) {
                return true;
            }
        }
        return false;
    }
    int number = 0;

private:
    std::ifstream file_;
};

ArgumentLine argument(const Fields &f)
{
    ArgumentLine line;
    line.name = f.at(2);
    if (f[1] == "in" || f[1] == "out") {
        line.kind = f[1] == "in" ? ArgumentLine::Kind::in : ArgumentLine::Kind::out;
        line.items.push_back(item(f, 3));
        line.zeroed = f.size() > 6 && f[6] == "zero";
    } else if (f[1] == "alias") {
        line.kind = ArgumentLine::Kind::alias;
        line.alias_of = std::stoull(f.at(3));
        line.items.push_back({"uint8", {}, f.at(4)});
    } else if (f[1] != "none") {
        throw std::runtime_error("unknown argument kind " + f[1]);
    }
    return line;
}

ArgumentLine list(const Fields &f, Reader &reader, const std::vector<ArgumentLine> &before)
{
    ArgumentLine line;
    const bool alias = f.at(1) == "alias";
    line.kind = alias          ? ArgumentLine::Kind::list_alias
                : f[1] == "in" ? ArgumentLine::Kind::list_in
                               : ArgumentLine::Kind::list_out;
    line.name = f.at(2);
    size_t count = 0;
    if (alias) {
        line.alias_of = std::stoull(f.at(3));
        count = before.at(line.alias_of).items.size();
    } else {
        count = std::stoull(f.at(3));
        line.zeroed = f.size() > 4 && f[4] == "zero";
    }
    Fields row;
    for (size_t i = 0; i < count; ++i) {
        if (!reader.next(row) || row[0] != "item") {
            throw std::runtime_error("a list has fewer items than it says");
        }
        line.items.push_back(alias ? TensorItem{"uint8", {}, row.at(1)} : item(row, 1));
    }
    return line;
}

SaveLine save(const Fields &f, Reader &reader)
{
    SaveLine line{std::stoull(f.at(1)), {}};
    const size_t count = std::stoull(f.at(2));
    Fields row;
    for (size_t i = 0; i < count; ++i) {
        if (!reader.next(row) || row[0] != "item") {
            throw std::runtime_error("a list has fewer items than it says");
        }
        line.files.push_back(row.at(1));
    }
    return line;
}
} // namespace

uint64_t TensorItem::size_bytes() const
{
    uint64_t count = 1;
    for (const uint64_t size : shape) {
        count *= size;
    }
    return (count * element_bits(dtype) + 7) / 8;
}

Manifest Manifest::read(const std::string &path)
{
    Manifest m;
    Reader reader(path);
    Fields f;
    try {
        if (!reader.next(f) || f[0] != "akgen-twin-launch" || f.at(1) != "1") {
            throw std::runtime_error("not a launch manifest of version 1");
        }
        while (reader.next(f)) {
            const std::string &key = f[0];
            if (key == "chip") {
                m.chip = f.at(1);
            } else if (key == "kernel") {
                m.kernel = f.at(1);
                m.symbol = f.at(2);
            } else if (key == "block_dim") {
                m.block_dim = static_cast<uint32_t>(std::stoul(f.at(1)));
            } else if (key == "tiling") {
                m.tiling = f.at(1);
            } else if (key == "workspace") {
                m.workspace_bytes = std::stoull(f.at(1));
            } else if (key == "before") {
                m.before = f.at(1);
                m.before_times = static_cast<uint32_t>(std::stoul(f.at(2)));
            } else if (key == "what_if") {
                m.what_if = f.at(1) == "on";
            } else if (key == "cores") {
                m.last_core_first = f.at(1) == "last_first";
            } else if (key == "must") {
                m.must_read_bytes = std::stod(f.at(1));
                m.must_write_bytes = std::stod(f.at(2));
                m.must_multiply_cycles = std::stod(f.at(3));
            } else if (key == "poison") {
                m.poison_outputs = f.at(1);
                m.poison_scratch = f.at(2);
            } else if (key == "sealed") {
                m.sealed = f.at(1) == "on";
            } else if (key == "auto_sync") {
                m.auto_sync = f.at(1) == "on";
            } else if (key == "schedule") {
                m.batch = f.at(1) == "batch";
            } else if (key == "library_workspace") {
                m.library_workspace = f.at(1) == "on";
            } else if (key == "report") {
                m.report = f.at(1);
            } else if (key == "trace") {
                m.trace = f.at(1);
            } else if (key == "cpu_s") {
                m.cpu_s = std::stoull(f.at(1));
            } else if (key == "wall_ms") {
                m.wall_ms = std::stoull(f.at(1));
            } else if (key == "arg") {
                m.arguments.push_back(argument(f));
            } else if (key == "save") {
                m.saves.push_back(save(f, reader));
            } else if (key == "list") {
                m.arguments.push_back(list(f, reader, m.arguments));
            } else {
                throw std::runtime_error("unknown key " + key);
            }
        }
    } catch (const std::exception &e) {
        throw std::runtime_error("launch manifest, line " + std::to_string(reader.number) + ": " + e.what());
    }
    return m;
}

} // namespace akgen::twin
