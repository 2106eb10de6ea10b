// camera_pipe.loop once more, as plain loops on the mosaic at its full size, without planes: see
// independent.h for the rules. Here too is the camera: what its sensor would have counted, had it
// seen a given picture.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace independent {

struct Development {
    int kelvin = 3700;
    int black = 25;
    int white = 1023;
    int contrast = 50;
    int sharpen = 32;
};

// raw: [h + 24, w + 32]; result: [h, w, 3].
std::vector<std::uint8_t> camera_pipe(int h, int w, const Development& development,
                                      const std::vector<std::uint16_t>& raw);

// Entries of the curve and of the matrix are computed in f64 here and in f32 there, and then
// rounded to whole numbers. These say how close to a tie the closest one is: above the error of the
// f32 arithmetic, both sides round alike.
double least_distance_of_curve_to_tie(const Development& development);
double least_distance_of_matrix_to_tie(const Development& development);

// The raw data, [h + 24, w + 32], that develop into about this picture, [3, h, w].
std::vector<std::uint16_t> exposed(int h, int w, const Development& development,
                                   const std::vector<std::uint8_t>& picture);

} // namespace independent
