import Foundation
import LibFuzzer

/// Something that reads bytes from outside, and what must hold whatever they are.
struct FuzzTarget: Sendable {
    let name: String
    /// Inputs to begin with.
    let seeds: [[UInt8]]
    /// How many comparisons are allowed for each byte: three or four times the most that has been seen, and so less than what is quadratic
    /// takes for the longest inputs.
    let stepsPerByte: Int
    /// How many are allowed beside these: a table is made once, and costs what it costs.
    let steps: Int
    let test: @Sendable ([UInt8]) -> Void

    static let all: [FuzzTarget] = [
        .heads, .codings, .events, .json, .propertyLists, .cookies, .dates, .caching, .multipart, .redaction, .archives, .rules, .addresses,
    ]

    init(
        _ name: String, seeds: [[UInt8]], stepsPerByte: Int, steps: Int = 300_000, test: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.name = name
        self.seeds = seeds
        self.stepsPerByte = stepsPerByte
        self.steps = steps
        self.test = test
    }

    init(_ name: String, seeds: [String], stepsPerByte: Int, test: @escaping @Sendable ([UInt8]) -> Void) {
        self.init(name, seeds: seeds.map { Array($0.utf8) }, stepsPerByte: stepsPerByte, test: test)
    }

    func run(_ input: [UInt8]) {
        let before = catena_steps()
        test(input)
        let taken = catena_steps() - before
        expect(taken <= UInt64(steps + stepsPerByte * input.count), "\(taken) steps for \(input.count) bytes")
    }
}

/// Ends the process unless this holds; libFuzzer keeps the input then.
func expect(_ holds: Bool, _ invariant: @autoclosure () -> String, line: Int = #line, file: String = #fileID) {
    if holds { return }
    FileHandle.standardError.write(Data("\nNot so (\(file):\(line)): \(invariant())\n".utf8))
    abort()
}

/// What an input says beside its document, taken from its beginning.
struct FuzzInput {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    /// The document.
    var bytes: [UInt8] { Array(rest) }
    var text: String { String(decoding: rest, as: UTF8.self) }

    /// The next byte; zero if there is none.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func choice<Value>(among values: [Value]) -> Value { values[Int(byte()) % values.count] }

    /// The next line, without its end.
    mutating func line() -> String {
        let line = rest.prefix { $0 != 0x0A }
        rest = rest[line.endIndex...].dropFirst()
        return String(decoding: line, as: UTF8.self)
    }

    /// All lines that are left.
    mutating func lines() -> [String] {
        defer { rest = [] }
        return rest.split(separator: 0x0A, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Cuts bytes into pieces as a network does: into one, into single bytes, or into pieces of lengths that the seed decides.
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
