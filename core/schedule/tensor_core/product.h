#pragma once
// A sum of products as tensor instructions see it: which of its axes are rows, columns and terms of
// the instruction's product of matrices, and which loads are its operands. A matrix product is one,
// batched or transposed, and a convolution, whose rows are pixels or pictures and whose terms are
// channels (an implicit product: no matrix is written out).

#include "core/ir/axis_form.h"
#include "core/schedule/intrinsics.h"
#include "core/schedule/state.h"

#include <cstddef>
#include <string>
#include <vector>

namespace loopscope {

struct ProductAxis {
    std::string name;
    std::int64_t extent = 1;
    bool summed = false;
    bool in_left = false, in_right = false; // do indices of that operand move with it?
};

struct ProductOperand {
    ExprPtr load;
    std::vector<std::string> names; // of the source's indices
    std::vector<AxisForm> indices;  // over the product's axes
    ScalarType type = ScalarType::F32;
};

struct MatrixProduct {
    std::shared_ptr<const Intrinsic> intrinsic;
    DefinitionRef of;
    std::vector<ProductAxis> axes; // free ones in the stage's order, then those summed over
    // Indices into `axes`: the instruction's free axes and its term.
    std::size_t row = 0, column = 0, term = 0;
    // Elements of one instruction along these.
    std::int64_t rows = 16, columns = 8, terms = 16;
    ProductOperand left, right;
    // Results go through shared memory on their way: wmma fragments, where more is to be done than
    // to write them.
    bool staged = false;

    const ProductAxis& axis(std::size_t a) const { return axes[a]; }
    std::int64_t sum_extent() const { return axes[term].extent; }
    bool opaque() const { return intrinsic->result.opaque(); }
};

// Finds the product, and brings `inferred` up to date. Errors: the definition is no such sum, the
// target has no instruction for it, or its extents are smaller than one; they say what would be
// legal.
Result<MatrixProduct> find_product(ScheduleState& state, const DefinitionRef& of,
                                   const ApplyContext& context);

} // namespace loopscope
