#include "cost.h"
#include "footprint.h"
#include "core.h"
#include <algorithm>
#include <cstring>

namespace akgen::twin {

CostModel::CostModel(const Chip &chip)
    : scalar_op(chip.at("scalar_op_cycles")), mask(chip.at("mask_cycles")), queue_op(chip.at("queue_op_cycles")),
      block_start(chip.at("block_start_us") * chip.at("clock_mhz")), flag(chip.at("flag_cycles")),
      barrier(chip.at("barrier_cycles")), write_back_times(chip.at("write_back_times")),
      dma_issue(chip.at("dma_issue_cycles")), sync_all(chip.at("sync_all_cycles")),
      cache_rate(chip.at("l2_bytes_per_us_total") / chip.at("clock_mhz")),
      memory_rate(chip.at("hbm_bytes_per_us_total") / chip.at("clock_mhz")),
      queue_depth(static_cast<uint32_t>(chip.at("isq_depth"))), chip_(chip),
      launch_(chip.at("launch_us") * chip.at("clock_mhz")),
      launch_core_(chip.at("launch_core_us") * chip.at("clock_mhz")), scalar_work_(chip.at("scalar_work_cycles")),
      scalar_ub_(chip.at("scalar_ub_access_cycles")), pipe_init_(chip.at("pipe_init_cycles")),
      scalar_hit_(chip.at("scalar_gm_hit_cycles")), scalar_miss_(chip.at("scalar_gm_miss_cycles")),
      read_latency_(chip.at("gm_read_latency_cycles")), hit_latency_(chip.at("gm_hit_latency_cycles")),
      write_latency_(chip.at("gm_write_latency_cycles")), mte2_(chip.at("mte2_bytes_per_cycle_core")),
      cube_mte2_(chip.at("gm_to_l1_bytes_per_cycle")), miss_rate_(chip.at("mte2_miss_bytes_per_cycle_core")),
      mte3_(chip.at("mte3_bytes_per_cycle_core")), mte3_long_(chip.at("mte3_long_bytes_per_cycle_core")),
      mte3_burst_(chip.at("mte3_burst_bytes")), row_(chip.at("dma_row_cycles")),
      uncached_row_(chip.at("uncached_row_cycles")), same_address_(chip.at("same_address_bytes_per_cycle")),
      odd_rate_(chip.at("nd2nz_odd_bytes_per_cycle")), beside_read_(chip.at("mte3_beside_mte2")),
      beside_uncached_(chip.at("mte3_beside_uncached_mte2")), ub_copy_(chip.at("ub_copy_bytes_per_cycle")),
      ub_copy_latency_(chip.at("ub_copy_latency_cycles")), l1_latency_(chip.at("l1_to_l0_latency_cycles")),
      l1_to_l0a_(chip.at("l1_to_l0a_bytes_per_cycle")), l1_to_l0b_(chip.at("l1_to_l0b_bytes_per_cycle")),
      l0c_out_(chip.at("l0c_to_gm_bytes_per_cycle")), cube_head_(chip.at("cube_head_cycles")),
      repeat_bytes_(chip.at("vec_repeat_bytes")),
      default_rate_{chip.at("vec_default_elements_bytes_per_cycle"), chip.at("vec_default_fixed_cycles")}
{
}

const CostModel::Found &CostModel::find(const OpName &op) const
{
    for (const Found &f : found_) {
        if (f.op == op.op && f.dtype == op.dtype) {
            return f;
        }
    }
    found_.push_back({op.op, op.dtype, &look_up(op), repeat_lanes(op)});
    return found_.back();
}

// A repeat of a conversion fills the vector register with the wider of its types: "Cast half->float" has 64 lanes.
double CostModel::repeat_lanes(const OpName &op) const
{
    const double own = repeat_bytes_ / dtype_bytes(op.dtype);
    const char *arrow = std::strstr(op.op, "->");
    if (!arrow) {
        return own;
    }
    const std::string to = arrow + 2;
    const double wide = to == "int64_t" ? 8 : to == "float" || to == "int32_t" ? 4 : to == "int8_t" ? 1 : 2;
    return std::min(own, repeat_bytes_ / wide);
}

const Chip::Rate &CostModel::look_up(const OpName &op) const
{
    const auto found = chip_.rates.find(std::string(op.op) + "\t" + dtype_name(op.dtype));
    if (found != chip_.rates.end()) {
        return found->second;
    }
    // A conversion names its types in the operation: "Cast half->float".
    const std::string name = op.op;
    const size_t space = name.find(' ');
    if (space != std::string::npos) {
        const auto pair = chip_.rates.find(name.substr(0, space) + "\t" + name.substr(space + 1));
        if (pair != chip_.rates.end()) {
            return pair->second;
        }
    }
    return default_rate_;
}

// Between global memory and the chip, or between two memories of the chip.
void CostModel::move(Cost &cost, const Record &r, const Shape &shape, double bytes_per_cycle, double latency,
                     bool cube_core, const Traffic &traffic) const
{
    if (!shape.global) {
        cost.occupy = r.work / bytes_per_cycle;
        cost.latency = ub_copy_latency_;
        return;
    }
    cost.gm_bytes = r.work * traffic.moved + double(shape.extra) * Footprint::line_bytes;
    cost.latency = latency;
    if (static_cast<Pipe>(r.pipe) == Pipe::MTE2) {
        cost.memory_bytes = cost.gm_bytes * traffic.missed;
        // A core has only so many lines under way, and those that memory gives take longer.
        const double missed = std::min(traffic.missed, 1.0);
        cost.latency = missed * latency + (1.0 - missed) * hit_latency_;
        cost.occupy = shape.count * row_ + cost.gm_bytes * ((1.0 - missed) / bytes_per_cycle + missed / miss_rate_);
        if (traffic.uncached && traffic.crowd > 1) { // one address serves one core at a time
            cost.occupy = std::max(cost.occupy, traffic.crowd * cost.gm_bytes / same_address_);
        } else if (traffic.uncached) { // each row asks memory by itself
            cost.tail = shape.count * uncached_row_;
        }
        if (cube_core && traffic.odd) { // fractals are put together from parts of blocks
            cost.occupy = std::max(cost.occupy, r.work / odd_rate_);
        }
    } else {
        // The first bytes find room in buffers.
        const double quick =
            static_cast<Pipe>(r.pipe) == Pipe::MTE3 ? std::min(cost.gm_bytes, mte3_burst_) : cost.gm_bytes;
        cost.occupy = std::max(quick / bytes_per_cycle + (cost.gm_bytes - quick) / mte3_long_, shape.count * row_);
        cost.occupy *= traffic.reads_past ? beside_uncached_ : traffic.reads_too ? beside_read_ : 1;
    }
    cost.spilled_bytes = cost.gm_bytes * traffic.back * write_back_times;
}

double CostModel::of_scalar(const Record &r) const
{
    switch (r.aux & scalar_what) {
    case scalar_work: return r.work * scalar_work_;
    case scalar_pipe: return r.work * pipe_init_;
    case scalar_global: {
        const double missed = r.aux / scalar_missed;
        return (r.work - missed) * scalar_hit_ + missed * scalar_miss_;
    }
    default: return r.work * scalar_ub_;
    }
}

Cost CostModel::of(const Record &r, const OpName &op, bool cube_core, const Traffic &traffic) const
{
    Cost cost;
    const bool vector = static_cast<Pipe>(r.pipe) == Pipe::V;
    const Shape shape = unpack(r.aux, vector);
    const uint32_t count = shape.count;
    switch (static_cast<Pipe>(r.pipe)) {
    case Pipe::V: {
        const Found &known = find(op);
        const Chip::Rate &found = *known.rate;
        const double per_cycle =
            &found == &default_rate_ ? found.elements_per_cycle / dtype_bytes(op.dtype) : found.elements_per_cycle;
        // A repeat takes its time however few of its lanes the mask leaves on.
        const double elements = count ? std::max(count * known.lanes, 1.0) : r.work;
        // Reading one repeat takes a cycle, and more where operands meet in a bank; slow operations hide that.
        cost.occupy = std::max({1.0, elements / per_cycle, double(count + shape.extra)});
        cost.latency = found.fixed_cycles;
        break;
    }
    case Pipe::MTE2:
    case Pipe::MTE3: {
        const bool in = static_cast<Pipe>(r.pipe) == Pipe::MTE2;
        move(cost, r, shape,
             !in         ? mte3_
             : cube_core ? cube_mte2_
                         : mte2_,
             in ? read_latency_ : write_latency_, cube_core, traffic);
        break;
    }
    case Pipe::MTE1:
        cost.occupy = r.work / (std::strstr(op.op, "L0B") ? l1_to_l0b_ : l1_to_l0a_);
        cost.latency = l1_latency_;
        break;
    case Pipe::FIX: move(cost, r, shape, l0c_out_, write_latency_, cube_core, traffic); break;
    case Pipe::M:
        cost.occupy = std::max(1.0, double(r.work));
        cost.latency = cube_head_;
        break;
    default: cost.occupy = scalar_op; break;
    }
    return cost;
}

} // namespace akgen::twin
