import Foundation

/// The amount of random input and the sizes of inputs: a sample in each run, and all of it with the environment variable `CATENA_THOROUGH`, as `.ci/deep` sets it.
package enum Thoroughness {
    package static let isWhole = ProcessInfo.processInfo.environment["CATENA_THOROUGH"] != nil

    /// Returns the first number in a run with everything, else the second.
    package static func count(whole: Int, sample: Int) -> Int { isWhole ? whole : sample }
}
