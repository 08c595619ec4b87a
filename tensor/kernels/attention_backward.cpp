#include "tensor/kernels/attention.h"
#include "tensor/kernels/attention_tile.h"
#include "tensor/kernels/parallel.h"
#include "tensor/kernels/scratch.h"
#include "tensor/kernels/simd_math.h"
#include "tensor/kernels/simd_rows.h"

// The way back through attention without a map of T x S weights (Dao et al. 2022, algorithm 4).
// From the outside in:
//
//   a key/value head:  one thread, since all query heads of the group add to its gradients
//   a key tile:        128 keys, whose keys and values go into panels
//   a query head of the group, and of it a query tile: 8 strips of 8
//   a strip:           scores and weights anew, then their gradients, then its part of dquery
//   8 keys:            their part of dkey and dvalue, summed over the 64 queries of the tile
//
// The weights and the gradients of the scores of a query tile and a key tile (64 x 128, 32 KiB
// each) are all that is ever stored of the map. Of the five products three share the loop over
// strips, two run down the columns of what it left: a product reads its left operand in place at
// any strides, so nothing is transposed. Query tiles before a causal key tile are left out, and
// columns beyond the last visible key of a strip as well.
//
// A hidden pair of query and key has weight and gradient 0. Where 0 meets a NaN that the pair hides
// the product must still be 0: see Group.

namespace gradwalk::kernels {
namespace {

constexpr std::int64_t kKeyTile = 128;
constexpr std::int64_t kStripsInTile = 8;
constexpr std::int64_t kTileQueries = kStripsInTile * kTileRows;
constexpr std::int64_t kMapRow = kKeyTile + 16;

// The weight of a hidden pair: adds nothing, and can be told from a weight that is as good as 0.
template <class T>
constexpr T kHiddenWeight = -T{0};

// A thread's share of the scratch.
template <class T>
struct Memory : MemoryPlan {
  explicit Memory(const AttentionHeads<T>& a)
      : head_width(Panels<T>::even_width(a.head_dim)),
        value_width(Panels<T>::even_width(a.value_dim)),
        log_sums(take<T>(a.heads_per_group() * a.queries)),
        means(take<T>(a.heads_per_group() * a.queries)),
        keys(take<T>(Panels<T>::size(a.head_dim, kKeyTile, kKeyWidth))),
        values(take<T>(Panels<T>::size(a.value_dim, kKeyTile, kKeyWidth))),
        key_rows(take<T>(Panels<T>::size(kKeyTile, a.head_dim, head_width))),
        scaled_queries(take<T>(kTileQueries * a.head_dim)),
        query_rows(take<T>(Panels<T>::size(kTileQueries, a.head_dim, head_width))),
        dy_rows(take<T>(Panels<T>::size(kTileQueries, a.value_dim, value_width))),
        odd(take<T>(std::max(kKeyTile, kTileQueries))),
        weights(take<T>(kTileQueries * kMapRow)),
        dscores(take<T>(kTileQueries * kMapRow)) {}

  static constexpr int kKeyWidth = 2 * kLanes<T>;
  int head_width, value_width;
  std::int64_t log_sums, means, keys, values, key_rows, scaled_queries, query_rows, dy_rows, odd,
      weights, dscores;
};

template <class T>
T dot(MatrixView<T> a, MatrixView<T> b, std::int64_t n) {
  if (a.column_stride != 1 || b.column_stride != 1) {
    T sum = 0;
    for (std::int64_t c = 0; c < n; ++c) sum += *a.at(0, c) * *b.at(0, c);
    return sum;
  }
  const hn::ScalableTag<T> d;
  auto sum = hn::Zero(d);
  simd::for_each_vector(d, n, [&](std::int64_t c, auto part) {
    sum = hn::MulAdd(simd::load(d, a.data + c, part), simd::load(d, b.data + c, part), sum);
  });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// Scores become weights 2^(score - log_sum), their gradients dweight become those of the scores
// before they are scaled; n pairs, those from n to `end`, a whole number of vectors, are hidden.
template <class T>
void weights_and_dscores(T* scores, T* dweights, std::int64_t n, std::int64_t end, T log_sum,
                         T mean, T scale) {
  const hn::ScalableTag<T> d;
  const auto hidden = hn::Set(d, kHidden<T>);
  const auto hidden_weight = hn::Set(d, kHiddenWeight<T>);
  const auto sums = hn::Set(d, log_sum);
  const auto means = hn::Set(d, mean);
  const auto scales = hn::Set(d, scale);
  std::int64_t j = 0;
  for (; j < end; j += kLanes<T>) {
    const auto score = hn::LoadU(d, scores + j);
    auto seen = hn::Not(hn::Eq(score, hidden));  // also for NaN
    if (j + kLanes < T >> n) {
      seen =
          hn::And(seen, hn::FirstN(d, static_cast<std::size_t>(std::max<std::int64_t>(0, n - j))));
    }
    const auto weight = simd::exp2(d, hn::Sub(score, sums));
    const auto from_mean = hn::Sub(hn::LoadU(d, dweights + j), means);
    const auto dscore = hn::Mul(hn::Mul(weight, scales), from_mean);
    hn::StoreU(hn::IfThenElse(seen, weight, hidden_weight), d, scores + j);
    hn::StoreU(hn::IfThenElseZero(seen, dscore), d, dweights + j);
  }
}

// One key/value head and the query heads that share it.
//
// What is a right operand next to weights or gradients that may be 0 stands in panels: rows of keys
// and queries that are not finite are zeros there, since whatever sees them is NaN for its score
// already; rows of dy that are not finite are added for the keys that the query sees.
template <class T>
class Group {
 public:
  Group(const AttentionHeads<T>& heads, const Memory<T>& plan, T* memory, std::int64_t batch,
        std::int64_t kv_head)
      : heads_(heads),
        batch_(batch),
        kv_head_(kv_head),
        log_sums_(memory + plan.log_sums),
        means_(memory + plan.means),
        keys_(memory + plan.keys, Memory<T>::kKeyWidth),
        values_(memory + plan.values, Memory<T>::kKeyWidth),
        key_rows_(memory + plan.key_rows, plan.head_width),
        scaled_queries_(memory + plan.scaled_queries),
        query_rows_(memory + plan.query_rows, plan.head_width),
        dy_rows_(memory + plan.dy_rows, plan.value_width),
        odd_(memory + plan.odd),
        weights_(memory + plan.weights),
        dscores_(memory + plan.dscores) {}

  // log_sum in base 2, and dy . y: the mean of dy . value_j under the weights.
  void read_rows(HeadsView<const T> y, const double* log_sum, HeadsView<const T> dy) {
    T* sums = log_sums_;
    T* means = means_;
    for (std::int64_t h = 0; h < heads_.heads_per_group(); ++h) {
      const double* from = log_sum + (batch_ * heads_.num_heads + head(h)) * heads_.queries;
      for (std::int64_t i = 0; i < heads_.queries; ++i) {
        *sums++ = static_cast<T>(from[i] * std::numbers::log2e);
        *means++ = dot(dy.of(batch_, head(h), i), y.of(batch_, head(h), i), heads_.value_dim);
      }
    }
  }

  // The keys begin, ..., end - 1.
  void add_keys(std::int64_t begin, std::int64_t end, HeadsView<const T> dy, HeadsView<T> dquery,
                HeadsView<T> dkey, HeadsView<T> dvalue) {
    begin_ = begin;
    count_ = end - begin;
    const MatrixView<T> key = heads_.key.of(batch_, kv_head_, begin);
    const MatrixView<T> value = heads_.value.of(batch_, kv_head_, begin);
    key_rows_.read_finite(key, count_, heads_.head_dim, odd_);
    keys_.copy(key.transposed(), heads_.head_dim, count_);
    values_.copy(value.transposed(), heads_.value_dim, count_);
    const EvenCut strips(heads_.queries, kTileRows);
    const EvenCut tiles(strips.pieces, kStripsInTile);
    bool first = true;
    for (std::int64_t h = 0; h < heads_.heads_per_group(); ++h) {
      for (std::int64_t tile = 0; tile < tiles.pieces; ++tile) {
        const std::int64_t i = strips.begin(tiles.begin(tile));
        const std::int64_t last = strips.begin(tiles.begin(tile + 1));
        // Queries that see none of the keys: they add nothing, but dquery begins with the first
        // key tile, and dkey and dvalue with the first query tile.
        if (heads_.visible_end(last - 1) <= begin && begin > 0 && !first) continue;
        read_queries(h, i, last - i, dy);
        for (std::int64_t strip = tiles.begin(tile); strip < tiles.begin(tile + 1); ++strip) {
          const std::int64_t query = strips.begin(strip);
          const auto rows = static_cast<int>(strips.begin(strip + 1) - query);
          add_strip({batch_, head(h), query, rows}, h * heads_.queries + query, query - i, dy,
                    dquery);
        }
        add_columns(i, last - i, first, dkey, dvalue);
        if (has_odd_dy_) add_odd_dy(dy.of(batch_, head(h), i), i, last - i, dvalue);
        first = false;
      }
    }
  }

 private:
  std::int64_t head(std::int64_t in_group) const {
    return kv_head_ * heads_.heads_per_group() + in_group;
  }
  // How many keys of the tile query i sees, as far as the causal mask goes.
  std::int64_t seen_by(std::int64_t i) const {
    return std::clamp<std::int64_t>(heads_.visible_end(i) - begin_, 0, count_);
  }

  void read_queries(std::int64_t h, std::int64_t i, std::int64_t count, HeadsView<const T> dy) {
    const MatrixView<T> query = heads_.query.of(batch_, head(h), i);
    query_rows_.read_finite(query, count, heads_.head_dim, odd_);
    scale_queries(heads_, query, count, scaled_queries_);
    has_odd_dy_ = dy_rows_.read_finite(dy.of(batch_, head(h), i), count, heads_.value_dim, odd_);
  }

  // Weights and gradients of the scores of a strip, and their part of dquery. The strip's rows
  // stand at `of_all` in log_sums_ and at `row` in the maps.
  void add_strip(const StripAt& at, std::int64_t of_all, std::int64_t row, HeadsView<const T> dy,
                 HeadsView<T> dquery) {
    T* weights = weights_ + row * kMapRow;
    T* dscores = dscores_ + row * kMapRow;
    const std::int64_t end = seen_by(at.query + at.rows - 1);
    const std::int64_t columns = whole_vectors<T>(end);
    if (end > 0) {
      strip_scores(heads_, at, scaled_queries_ + row * heads_.head_dim, keys_, begin_, begin_,
                   begin_ + end, weights, kMapRow);
      multiply<T>(dy.of(at.batch, at.head, at.query), at.rows, values_, 0, heads_.value_dim,
                  columns, /*add=*/false, dscores, kMapRow);
    }
    // What add_columns reads beyond the last column: hidden.
    const std::int64_t until =
        std::min(whole_vectors<T>(end + kTileRows), whole_vectors<T>(count_));
    for (std::int64_t r = 0; r < at.rows; ++r) {
      const std::int64_t in_map = r * kMapRow;
      weights_and_dscores(weights + in_map, dscores + in_map, seen_by(at.query + r), columns,
                          log_sums_[of_all + r], means_[of_all + r], static_cast<T>(heads_.scale));
      std::fill(weights + in_map + columns, weights + in_map + until, kHiddenWeight<T>);
      std::fill(dscores + in_map + columns, dscores + in_map + until, T{0});
    }
    if (end > 0 || begin_ == 0) {
      multiply<T>({dscores, kMapRow, 1}, at.rows, key_rows_, 0, end, heads_.head_dim,
                  /*add=*/begin_ > 0, dquery.at(at.batch, at.head, at.query), dquery.row);
    }
  }

  // The part of dkey and dvalue that comes from the queries i, ..., i + count - 1.
  void add_columns(std::int64_t i, std::int64_t count, bool first, HeadsView<T> dkey,
                   HeadsView<T> dvalue) {
    const EvenCut blocks(count_, kTileRows);
    for (std::int64_t block = 0; block < blocks.pieces; ++block) {
      const std::int64_t j = blocks.begin(block);
      const std::int64_t width = blocks.begin(block + 1) - j;
      // The first query of the tile that sees a key of the block.
      const std::int64_t from =
          heads_.causal
              ? std::clamp<std::int64_t>(begin_ + j - (heads_.keys - heads_.queries) - i, 0, count)
              : 0;
      if (from == count && !first) break;  // and none sees the blocks that follow
      const MatrixView<T> dscores{dscores_ + from * kMapRow + j, 1, kMapRow};
      const MatrixView<T> weights{weights_ + from * kMapRow + j, 1, kMapRow};
      multiply<T>(dscores, width, query_rows_, from, count - from, heads_.head_dim, !first,
                  dkey.at(batch_, kv_head_, begin_ + j), dkey.row);
      multiply<T>(weights, width, dy_rows_, from, count - from, heads_.value_dim, !first,
                  dvalue.at(batch_, kv_head_, begin_ + j), dvalue.row);
    }
  }

  // The part of dvalue that comes from rows of dy with a NaN or infinity, of the queries i, ...
  void add_odd_dy(MatrixView<T> dy, std::int64_t i, std::int64_t count, HeadsView<T> dvalue) {
    for (std::int64_t row = 0; row < count; ++row) {
      const std::int64_t end = odd_[row] == 0 ? 0 : seen_by(i + row);
      for (std::int64_t j = 0; j < end; ++j) {
        const T weight = weights_[row * kMapRow + j];
        if (weight == 0 && std::signbit(weight)) continue;
        T* sums = dvalue.at(batch_, kv_head_, begin_ + j);
        for (std::int64_t c = 0; c < heads_.value_dim; ++c) sums[c] += weight * *dy.at(row, c);
      }
    }
  }

  const AttentionHeads<T>& heads_;
  std::int64_t batch_, kv_head_;
  std::int64_t begin_ = 0, count_ = 0;  // the key tile
  T *log_sums_, *means_;
  Panels<T> keys_, values_, key_rows_;
  T* scaled_queries_;
  Panels<T> query_rows_, dy_rows_;
  T *odd_, *weights_, *dscores_;
  bool has_odd_dy_ = false;
};

}  // namespace

template <class T>
void attention_backward(const AttentionHeads<T>& heads, HeadsView<const T> y, const double* log_sum,
                        HeadsView<const T> dy, HeadsView<T> dquery, HeadsView<T> dkey,
                        HeadsView<T> dvalue) {
  const std::int64_t groups = heads.batch * heads.num_kv_heads;
  const std::int64_t work = heads.batch * heads.num_heads * heads.queries * heads.keys *
                            (3 * heads.head_dim + 2 * heads.value_dim) / (heads.causal ? 80 : 40);
  const Memory<T> plan(heads);
  const int team = static_cast<int>(std::min<std::int64_t>(team_size(work), groups));
  Scratch<T> scratch(team * plan.total());
  for_each_item(groups, team, [&](std::int64_t item, int thread) {
    Group<T> group(heads, plan, scratch.data() + thread * plan.total(), item / heads.num_kv_heads,
                   item % heads.num_kv_heads);
    group.read_rows(y, log_sum, dy);
    for (std::int64_t begin = 0; begin < heads.keys; begin += kKeyTile) {
      group.add_keys(begin, std::min(begin + kKeyTile, heads.keys), dy, dquery, dkey, dvalue);
    }
  });
}

template void attention_backward(const AttentionHeads<float>&, HeadsView<const float>,
                                 const double*, HeadsView<const float>, HeadsView<float>,
                                 HeadsView<float>, HeadsView<float>);
template void attention_backward(const AttentionHeads<double>&, HeadsView<const double>,
                                 const double*, HeadsView<const double>, HeadsView<double>,
                                 HeadsView<double>, HeadsView<double>);

}  // namespace gradwalk::kernels
