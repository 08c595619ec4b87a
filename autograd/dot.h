#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "autograd/trace.h"

namespace gradwalk {

/// A picture of the graph that a scope builds, in the DOT language of Graphviz: one box an op with
/// its shape, one ellipse a parameter, a dashed one a constant, and an arrow from each input.
///
///   GraphPicture picture;
///   {
///     const TraceScope scope(picture);
///     loss = ...;
///   }
///   picture.name(w_q, "W_Q");
///   std::ofstream("graph.dot") << picture.dot();     // dot -Tsvg graph.dot -o graph.svg
///
/// It keeps the variables that it has seen, and with them their values, until it is destroyed.
class GraphPicture : public TraceObserver {
 public:
  void on_forward(const ForwardStep& step) override;

  /// Puts a name in front of a variable's op. Variables that the picture has not seen are left out.
  void name(const Variable& variable, std::string name);

  std::string dot() const;

 private:
  struct Entry {
    Variable variable;
    std::string op;  ///< empty if no op of the scope made it
    std::string name;
    std::vector<std::size_t> inputs;  ///< places in entries_
  };

  std::size_t place(const Variable& variable);

  std::vector<Entry> entries_;
  std::unordered_map<const Node*, std::size_t> places_;
};

}  // namespace gradwalk
