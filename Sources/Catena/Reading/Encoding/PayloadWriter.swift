import CatenaPlatform

/// The state that all containers of one encoding share: the text, the open containers and the strategies.
///
/// The text is written from front to back, so only the innermost open container can be written to. Writing to an outer container closes those in it.
/// A value that needs more, such as a key that is encoded twice, makes the writer give up: it ignores the rest, and ``JSONPayloadEncoder`` uses
/// `JSONEncoder`. Ignored operations throw no error, because user code may not expect one.
final class PayloadWriter {
    /// A value in progress, with its container if it has one.
    private struct Frame {
        /// The number by which the encoder and the container of the value find the frame.
        let number: Int
        var content = Content.nothing
        /// The number of arrays and objects that contain the value, including its own.
        var depth: Int
        /// The number of elements or members written.
        var count = 0
        /// The offset of the text of the last key.
        var key = 0
        /// The number of fingerprints of the objects around this one.
        var fingerprints = 0
    }

    enum Content {
        case nothing, single, object, array
    }

    private enum Progress {
        case writing
        /// User code threw an error, and may catch it.
        case failed
        case tooDeep
        case givenUp
    }

    @exclusivity(unchecked) var text: EncodedText
    let strategies: EncodingStrategies
    @exclusivity(unchecked) private var top = Frame(number: 0, depth: 0)
    @exclusivity(unchecked) private var parents: [Frame] = []
    /// The fingerprints of the keys of all open objects.
    @exclusivity(unchecked) private var fingerprints: [UInt64] = []
    @exclusivity(unchecked) private var lastNumber = 0
    private var progress = Progress.writing
    /// The frames at the moment of giving up.
    private var lastFrames: [Frame] = []
    private var refusals = 0

    /// The number of no frame.
    static let closed = -1
    /// The largest number of arrays and objects in each other that `JSONEncoder` writes.
    private static let deepest = 511
    /// The largest number of values in each other without an array or object between them. A value that contains itself in a single value
    /// container would exhaust the stack.
    private static let mostBare = 128

    init(_ strategies: EncodingStrategies) {
        self.strategies = strategies
        text = EncodedText(escapesSlashes: strategies.escapesSlashes)
    }

    // MARK: The whole

    /// Writes a document. Returns `nil` if the writer gave up, or if the value encodes nothing.
    ///
    /// - Throws: The error of the value's own code, or an `EncodingError` if containers are nested too deeply.
    func document<Value: Encodable>(_ value: Value) throws -> Data? {
        do {
            if !writeSpecial(value) { try value.encode(to: ValueEncoder(writer: self, number: top.number)) } else { top.content = .single }
        } catch {
            if progress == .writing || progress == .failed { throw error }
        }
        if progress == .writing { finish() }
        switch progress {
        case .writing:
            let data = text.taken()
            // An encoder that user code has kept finds no frame.
            stop(.givenUp)
            return data
        case .failed, .givenUp: return nil
        case .tooDeep:
            let context = EncodingError.Context(codingPath: [], debugDescription: "Unable to encode the given top-level value to JSON.")
            throw EncodingError.invalidValue(value, context)
        }
    }

    private func finish() {
        while !parents.isEmpty, progress == .writing { close() }
        guard progress == .writing else { return }
        if top.content == .nothing { giveUp() } else { close() }
    }

    /// Writes any value at a place that was begun.
    func write<Value: Encodable>(any value: Value) throws {
        if writeSpecial(value) { return }
        let number = push()
        do {
            try value.encode(to: ValueEncoder(writer: self, number: number))
        } catch {
            if progress == .writing { stop(.failed) }
            throw error
        }
        pop(number)
    }

    // MARK: Giving up

    func giveUp() { stop(.givenUp) }

    private func stop(_ reason: Progress) {
        guard progress != .tooDeep, progress != .givenUp else { return }
        if progress == .writing { lastFrames = parents + [top] }
        progress = reason
        // No encoder and no container finds its frame now.
        top = Frame(number: Self.closed, depth: 0)
        parents = []
    }

    /// Notes an operation that cannot be written.
    @inline(never)
    private func refuse() {
        giveUp()
        refusals &+= 1
    }

    /// Gives up, and returns the keys that lead to the value of a frame.
    ///
    /// Their types and the numbers of the keys are lost in the text, and so user code that depends on a path is run by `JSONEncoder`.
    func path(to number: Int) -> [any CodingKey] {
        giveUp()
        return lastFrames.prefix { $0.number != number }.compactMap { frame in
            switch frame.content {
            case .object where frame.count > 0: PlainKey(text.string(at: frame.key))
            case .array where frame.count > 0: IndexKey(frame.count - 1)
            default: nil
            }
        }
    }

    // MARK: Frames

    /// Begins a value, and returns the number of its frame.
    @inline(__always)
    private func push() -> Int {
        if parents.count >= Self.mostBare, parents[parents.count - Self.mostBare].depth == top.depth {
            stop(.tooDeep)
            return Self.closed
        }
        lastNumber &+= 1
        parents.append(top)
        top = Frame(number: lastNumber, depth: top.depth, fingerprints: fingerprints.count)
        return lastNumber
    }

    /// Ends a value.
    @inline(__always)
    private func pop(_ number: Int) {
        if isOpen(number) { close() } else { giveUp() }
    }

    /// Returns whether a frame is open, after closing those in it.
    @inline(__always)
    private func isOpen(_ number: Int) -> Bool {
        top.number == number && number != Self.closed || isOuter(number)
    }

    @inline(never)
    private func isOuter(_ number: Int) -> Bool {
        guard parents.contains(where: { $0.number == number }) else { return false }
        while progress == .writing, top.number != number { close() }
        return progress == .writing
    }

    /// Ends the innermost value.
    @inline(__always)
    private func close() {
        switch top.content {
        case .single: break
        case .array: text.write(UInt8(ascii: "]"))
        case .object:
            text.write(UInt8(ascii: "}"))
            forgetKeys()
        case .nothing:
            // JSONEncoder, too, writes an object for a value that encodes nothing.
            text.write(UInt8(ascii: "{"))
            text.write(UInt8(ascii: "}"))
        }
        if progress == .writing, let parent = parents.popLast() { top = parent }
    }

    /// Gives up if a key of the innermost object was encoded twice, because only the last value counts.
    @inline(__always)
    private func forgetKeys() {
        let count = fingerprints.count &- top.fingerprints
        if count > 1, !areDistinct(fingerprints[top.fingerprints...]) { return giveUp() }
        fingerprints.removeLast(count)
    }

    private func areDistinct(_ keys: ArraySlice<UInt64>) -> Bool {
        guard keys.count <= 24 else {
            let sorted = keys.sorted()
            return zip(sorted, sorted.dropFirst()).allSatisfy { $0 != $1 }
        }
        for one in keys.indices.dropFirst() {
            for other in keys.startIndex..<one where keys[one] == keys[other] { return false }
        }
        return true
    }

    // MARK: Containers

    /// Opens the container of an encoder, which may have it already. Returns the number for the container.
    func open(_ content: Content, in number: Int) -> Int {
        guard isOpen(number), top.content == .nothing || top.content == content else {
            refuse()
            return Self.closed
        }
        return top.content == content ? number : begin(content)
    }

    /// Opens a container at a place that was begun.
    func nested(_ content: Content) -> Int {
        push() == Self.closed ? Self.closed : begin(content)
    }

    /// Begins a value at a place that was begun, for an encoder that user code calls.
    func later() -> Int { push() }

    private func begin(_ content: Content) -> Int {
        top.content = content
        top.depth &+= 1
        guard top.depth <= Self.deepest else {
            stop(.tooDeep)
            return Self.closed
        }
        text.write(UInt8(ascii: content == .object ? "{" : "["))
        return top.number
    }

    /// Returns the number of elements of an array. After giving up it grows with the operations, so that no loop waits for it in vain.
    func count(of number: Int) -> Int {
        if top.number == number, number != Self.closed { return top.count }
        return parents.last { $0.number == number }?.count ?? refusals
    }

    // MARK: Places

    /// Begins a member: writes its key. Returns `false` if it is to be ignored.
    func member(_ key: String, in object: Int) -> Bool {
        guard isOpen(object) else {
            refuse()
            return false
        }
        top.key = text.end &+ (top.count > 0 ? 1 : 0)
        guard let fingerprint = text.write(key: key, afterComma: top.count > 0) else {
            refuse()
            return false
        }
        top.count &+= 1
        fingerprints.append(fingerprint)
        return true
    }

    /// Begins an element. Returns `false` if it is to be ignored.
    @inline(__always)
    func element(in array: Int) -> Bool {
        guard isOpen(array) else {
            refuse()
            return false
        }
        if top.count > 0 { text.write(UInt8(ascii: ",")) }
        top.count &+= 1
        return true
    }

    /// Begins the only value of an encoder. Returns `false` if it is to be ignored.
    @inline(__always)
    func single(in number: Int) -> Bool {
        guard isOpen(number), top.content == .nothing else {
            refuse()
            return false
        }
        top.content = .single
        return true
    }

    // MARK: Scalars

    @inline(__always)
    func write<Value: FixedWidthInteger>(integer: Value) {
        if Value.isSigned {
            text.write(Int64(truncatingIfNeeded: integer))
        } else {
            text.write(UInt64(truncatingIfNeeded: integer))
        }
    }

    @inline(__always)
    func write(_ value: Double) {
        if value.isFinite { text.write(value) } else { writeUnusual(value) }
    }

    @inline(__always)
    func write(_ value: Float) {
        if value.isFinite { text.write(value) } else { writeUnusual(Double(value)) }
    }

    private func writeUnusual(_ value: Double) {
        if let word = strategies.text(of: value) { text.write(word) } else { giveUp() }
    }
}
