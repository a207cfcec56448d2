/// How a backend wraps its answers: where code, message and payload are, and which codes mean success.
///
/// ```swift
/// wallet.envelope = .standard.codes("result.code").message("result.text").data("payload").success(0, "OK")
/// ```
///
/// A place is a key, or a path such as `"result.code"` or `"errors[0].code"`. Where several are named, the first one that is there
/// and not `null` counts.
public struct Envelope: Sendable {
    /// Codes that make an object an envelope by being there.
    private(set) var codes: [String]
    /// A code that is too often part of a model: it counts only beside a message or a payload, or alone.
    private(set) var guardedCodes: [String]
    /// Booleans that say whether the call succeeded.
    private(set) var flags: [String]
    private(set) var messages: [String]
    private(set) var payloads: [String]
    private(set) var successes: Set<ErrorCode>
    /// Where everything is looked for, in one pass.
    private(set) var places: EnvelopePlaces

    /// What most backends do: `errcode`, `code`, … beside `errmsg`, `msg`, `message`, … and `data`, `ret` or `result`; 0 and 200
    /// mean success. An object without such a code is taken as it is.
    public static let standard = Envelope(
        codes: ["errcode", "errorno", "errCode", "errno", "error_code"],
        guardedCodes: ["code"],
        flags: ["success"],
        messages: ["errmsg", "msg", "errormsg", "errMsg", "message", "error_description"],
        payloads: ["data", "ret", "result"],
        successes: [0, 200, "0", "200"]
    )

    /// Answers are not wrapped: the whole body is the payload, and the HTTP status alone says whether the call succeeded.
    public static let none = Envelope(codes: [], guardedCodes: [], flags: [], messages: [], payloads: [], successes: [])

    private init(
        codes: [String],
        guardedCodes: [String],
        flags: [String],
        messages: [String],
        payloads: [String],
        successes: Set<ErrorCode>
    ) {
        self.codes = codes
        self.guardedCodes = guardedCodes
        self.flags = flags
        self.messages = messages
        self.payloads = payloads
        self.successes = successes
        places = EnvelopePlaces()
        places = EnvelopePlaces(self)
    }
}

extension Envelope {
    /// Sets where the code is. An answer that has one there is an envelope.
    public func codes(_ places: String...) -> Envelope {
        changed {
            $0.codes = places
            $0.guardedCodes = []
            $0.flags = []
        }
    }

    /// Sets where a boolean says whether the call succeeded.
    public func flag(_ places: String...) -> Envelope {
        changed { $0.flags = places }
    }

    /// Sets where the message is.
    public func message(_ places: String...) -> Envelope {
        changed { $0.messages = places }
    }

    /// Sets where the payload is. In an envelope that has neither codes nor flags, an answer that has something there is an envelope.
    ///
    /// ```swift
    /// .envelope(.none.data("items"))     // {"items": […]} without any code
    /// ```
    public func data(_ places: String...) -> Envelope {
        changed { $0.payloads = places }
    }

    /// Sets the codes that mean success. They are typed: `0` is the number, `"0"` the text.
    public func success(_ codes: ErrorCode...) -> Envelope {
        changed { $0.successes = Set(codes) }
    }

    private func changed(_ change: (inout Envelope) -> Void) -> Envelope {
        var envelope = self
        change(&envelope)
        envelope.places = EnvelopePlaces(envelope)
        return envelope
    }
}

/// The places of an envelope in the order of precedence, ready for the scanner.
struct EnvelopePlaces: Sendable {
    private(set) var tree = JSONPathTree([])
    private var paths: [JSONPath] = []
    var codes: Range<Int> = 0..<0
    var flags: Range<Int> = 0..<0
    var messages: Range<Int> = 0..<0
    var payloads: Range<Int> = 0..<0
    /// Which of the codes count only in company.
    var guarded: Set<Int> = []
    /// What is wrong with a place, to be told when the envelope is used.
    var fault: (any Error)?

    init() {}

    init(_ envelope: Envelope) {
        // errcode, code, errorno, …: the guarded code stands second, as in the backends that this order comes from.
        var codes = envelope.codes
        if !envelope.guardedCodes.isEmpty { codes.insert(contentsOf: envelope.guardedCodes, at: min(1, codes.count)) }
        self.codes = add(codes)
        guarded = Set(self.codes.filter { envelope.guardedCodes.contains(codes[$0 - self.codes.lowerBound]) })
        flags = add(envelope.flags)
        messages = add(envelope.messages)
        payloads = add(envelope.payloads)
        tree = JSONPathTree(paths)
    }

    private mutating func add(_ places: [String]) -> Range<Int> {
        let start = paths.count
        for place in places {
            do {
                paths.append(try JSONPath(place))
            } catch {
                fault = fault ?? error
            }
        }
        return start..<paths.count
    }
}
