import Foundation
import LibFuzzer

/// A parser of external bytes, and the invariants that must hold for any bytes.
struct FuzzTarget: Sendable {
    let name: String
    /// The initial inputs.
    let seeds: [[UInt8]]
    /// The maximum number of comparisons per byte. It is three or four times the observed maximum, so that quadratic work on the longest inputs exceeds it.
    let stepsPerByte: Int
    /// The number of comparisons that are allowed in addition, such as for making a table once.
    let steps: Int
    let test: @Sendable ([UInt8]) -> Void

    static let all: [FuzzTarget] =
        [
            .heads, .codings, .events, .json, .propertyLists, .cookies, .dates, .caching, .multipart, .redaction, .archives, .rules,
            .addresses,
            .strict, .files, .proofs,
        ] + ofRedis

    #if os(Linux)
    private static let ofRedis = [FuzzTarget.replies]
    #else
    private static let ofRedis: [FuzzTarget] = []
    #endif

    init(
        _ name: String, seeds: [[UInt8]], stepsPerByte: Int, steps: Int = 300_000, test: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.name = name
        self.seeds = seeds
        self.stepsPerByte = stepsPerByte
        self.steps = steps
        self.test = test
    }

    init(
        _ name: String, seeds: [String], stepsPerByte: Int, steps: Int = 300_000, test: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.init(name, seeds: seeds.map { Array($0.utf8) }, stepsPerByte: stepsPerByte, steps: steps, test: test)
    }

    func run(_ input: [UInt8]) {
        let before = catena_steps()
        test(input)
        let taken = catena_steps() - before
        expect(taken <= UInt64(steps + stepsPerByte * input.count), "\(taken) steps for \(input.count) bytes")
    }
}

/// Ends the process unless an invariant holds. libFuzzer then stores the input.
func expect(_ holds: Bool, _ invariant: @autoclosure () -> String, line: Int = #line, file: String = #fileID) {
    if holds { return }
    FileHandle.standardError.write(Data("\nNot so (\(file):\(line)): \(invariant())\n".utf8))
    abort()
}

/// The parameters at the beginning of an input, and the document after them.
struct FuzzInput {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// The document.
    var bytes: [UInt8] { Array(rest) }
    var text: String { String(decoding: rest, as: UTF8.self) }

    /// Removes and returns the next byte, or zero if there is none.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func choice<Value>(among values: [Value]) -> Value { values[Int(byte()) % values.count] }

    /// Removes and returns the next line, without its end.
    mutating func line() -> String {
        let line = rest.prefix { $0 != 0x0A }
        rest = rest[line.endIndex...].dropFirst()
        return String(decoding: line, as: UTF8.self)
    }

    /// Removes and returns all remaining lines.
    mutating func lines() -> [String] {
        defer { rest = [] }
        return rest.split(separator: 0x0A, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Splits bytes into pieces, as a network does: into one, into single bytes, or into pieces whose lengths depend on the seed.
func pieces(_ bytes: [UInt8], seed: UInt8) -> [Data] {
    var pieces: [Data] = []
    var state = UInt32(seed)
    var start = 0
    while start < bytes.count {
        state = state &* 1_664_525 &+ 1_013_904_223
        let length = seed == 0 ? bytes.count : seed == 1 ? 1 : Int(state >> 24) % 40 + 1
        let end = min(start + length, bytes.count)
        pieces.append(Data(bytes[start..<end]))
        start = end
    }
    return pieces
}
