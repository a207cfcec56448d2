import Foundation
import Testing

@testable import Catena

/// The form in which a model asks for the keys of a payload.
enum Asking: CaseIterable {
    case required, optional

    func type(for payload: JSON) -> AskedType {
        let keys = payload.object?.members.filter { !$0.value.isNull }.map(\.key) ?? []
        // A model asks for the backend's own members, and for an envelope's words only if there are no others.
        let own = keys.filter { !(ComparedKey($0).word?.isVocabulary ?? $0.comparedAsKey.hasPrefix("error")) }
        return self.type(own.isEmpty ? keys : own)
    }

    func type(_ keys: [String]) -> AskedType {
        switch self {
        case .required: AskedType(required: keys, optional: [])
        case .optional: AskedType(required: [], optional: keys)
        }
    }
}

@Suite("Typed calls, calls without a result, and the bodies of public APIs", .limitedParallelism)
struct TypedShapeTests {
    @Test("a typed call reads each shape as one without a type does, or better")
    func typed() {
        each(PublicShape.all + PublicShape.further, Asking.allCases) { shape, asking in
            let expected =
                switch shape.given {
                // The type selects the part.
                case "wrong payload": "right"
                // A failure that passes has none of the keys of a type. A type of optionals decodes it all the same, other types fail. One failure has
                // a null payload, which is missing for both.
                case "failure passed", "failure passed silently":
                    asking == .optional && shape.id != "fastadmin_err" ? "failure passed" : "words lost"
                default: shape.given
                }
            let judged = try judged(shape, asking)
            #expect(judged == expected)
        }
    }

    @Test("a call without a result reads each shape as a call without a type does")
    func nothing() {
        each(PublicShape.all + PublicShape.further) { shape in
            let expected =
                switch shape.given {
                case "wrong payload": "right"
                case "failure passed silently": "failure passed"
                default: shape.given
                }
            let judged = shape.judged { _ = try EnvelopeReader(envelope: .standard, decoded: Void.self).read(shape.response) }
            #expect(judged == expected)
        }
    }

    private func judged(_ shape: PublicShape, _ asking: Asking) throws -> String {
        guard shape.want.outcome == "ok" else {
            return shape.judged { _ = try read(AskingModel.self, shape, asking.type(["id", "nickname"])) }
        }
        let wanted = try shape.wantedPayload()
        var isRight = false
        let judged = shape.judged {
            if wanted.array != nil {
                isRight = try read([JSON].self, shape, nil) == wanted.array
            } else if wanted.string != nil {
                isRight = try read(String.self, shape, nil) == wanted.string
            } else if wanted.object != nil {
                let type = asking.type(for: wanted)
                let model = try read(AskingModel.self, shape, type)
                isRight = type.keys.allSatisfy { model.values[$0] == wanted[$0] }
            } else {
                isRight = try read(JSON.self, shape, nil) == wanted
            }
        }
        return judged == "right" && !isRight ? "wrong payload" : judged
    }

    private func read<Value: Decodable & Sendable>(_ type: Value.Type, _ shape: PublicShape, _ keys: AskedType?) throws -> Value {
        try AskingModel.$keys.withValue(keys ?? AskedType(required: [], optional: [])) {
            try Envelope.standard.value(of: shape.response, as: type, decoder: JSONDecoder())
        }
    }
}
