/// How a backend wraps its responses: where code, message and payload are, and which codes mean success.
///
/// Most backends need none of their own: ``standard``, the default, finds the parts by the keys that backends commonly use.
///
/// ```swift
/// wallet.envelope = .standard.codes("result.code").message("result.text").data("payload").success(0, "OK")
/// ```
///
/// A place is a key, or a path such as `"result.code"` or `"errors[0].code"`. Of several places the first counts whose value is present and
/// not `null`. An envelope is a value: every step returns a changed copy. Steps that begin with `add` keep what was set, the others replace
/// it.
public struct Envelope: Sendable {
    /// One set of rules, or several of which the first that knows the response counts.
    private(set) var rules: [EnvelopeRules]
    /// The rules, ready for the scanner.
    private(set) var places: EnvelopePlaces

    init(_ rules: EnvelopeRules) {
        self.init([rules])
    }

    private init(_ rules: [EnvelopeRules]) {
        self.rules = rules
        places = EnvelopePlaces(rules, unwrap: .payload)
    }

    /// Reads each response with the first of several envelopes that recognizes it. A response that none recognizes passes as it is.
    ///
    /// ```swift
    /// files.envelope = .anyOf([.problemDetails, .standard])
    /// ```
    ///
    /// Further steps change all of them.
    public static func anyOf(_ envelopes: [Envelope]) -> Envelope {
        Envelope(envelopes.flatMap(\.rules))
    }

    func changed(_ change: (inout EnvelopeRules) -> Void) -> Envelope {
        var rules = rules
        for index in rules.indices { change(&rules[index]) }
        return Envelope(rules)
    }

    /// The envelope for a call that wants this part of a response.
    func unwrapping(_ unwrap: Unwrap) -> Envelope {
        var envelope = self
        envelope.places = EnvelopePlaces(rules, unwrap: unwrap)
        return envelope
    }
}

/// Which part of a response a call gives.
public enum Unwrap: Sendable, Hashable {
    /// The payload, as the envelope finds it.
    case payload
    /// The whole body. The envelope still says whether the call succeeded.
    case body
    /// The value at this path of the body, such as `"data.list"`.
    case path(String)
}
