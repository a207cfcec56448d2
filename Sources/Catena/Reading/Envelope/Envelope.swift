/// Describes how a backend wraps its responses: the places of code, message and payload, and the codes that mean success.
///
/// Most backends need no description, because ``standard``, the default, finds the parts by commonly used keys. One line describes a backend whose
/// responses all have a code, so that nothing is guessed:
///
/// ```swift
/// wallet.envelope = Envelope(code: "code", success: 0, message: "msg", data: "data")
/// ```
///
/// Steps describe others:
///
/// ```swift
/// wallet.envelope = .standard.codes("result.code").message("result.text").data("payload").success(0, "OK")
/// ```
///
/// A place is a key, or a path such as `"result.code"` or `"errors[0].code"`. Of several places, the first one with a value other than `null` is
/// used.
///
/// An envelope is a value: every step returns a changed copy. Steps whose name begins with `add` keep the places and codes of others; others replace the
/// usual ones. The order of different steps does not matter.
public struct Envelope: Sendable {
    /// The sets of rules. The first one that recognizes a response is used.
    private(set) var rules: [EnvelopeRules]
    /// The rules, prepared for the scanner.
    private(set) var places: EnvelopePlaces

    init(_ rules: EnvelopeRules) {
        self.init([rules])
    }

    private init(_ rules: [EnvelopeRules]) {
        self.rules = rules
        places = EnvelopePlaces(rules, unwrap: .payload)
    }

    /// Reads each response with the first of several envelopes that recognizes it. A response that none recognizes passes unchanged.
    ///
    /// ```swift
    /// files.envelope = .anyOf([.problemDetails, .standard])
    /// ```
    ///
    /// Further steps change all of these envelopes.
    public static func anyOf(_ envelopes: [Envelope]) -> Envelope {
        Envelope(envelopes.flatMap(\.rules))
    }

    func changed(_ change: (inout EnvelopeRules) -> Void) -> Envelope {
        var rules = rules
        for index in rules.indices { change(&rules[index]) }
        return Envelope(rules)
    }

    /// Returns the envelope for a call that wants this part of a response.
    func unwrapping(_ unwrap: Unwrap) -> Envelope {
        var envelope = self
        envelope.places = EnvelopePlaces(rules, unwrap: unwrap)
        return envelope
    }
}

/// The part of a response that a call returns.
public enum Unwrap: Sendable, Hashable {
    /// The payload that the envelope finds.
    case payload
    /// The whole body. The envelope still determines whether the call succeeded.
    case body
    /// The value at this path of the body, such as `"data.list"`.
    case path(String)
}
