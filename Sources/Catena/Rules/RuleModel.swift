import Foundation

/// What a call by name gave, as its rule describes it.
public struct RuleValue: Sendable {
    /// A ``JSON``, a registered type or an array of one, `Data` or `String`; `nil` where the rule accepts null and there was nothing else.
    public let content: (any Sendable)?

    init(_ content: (any Sendable)?) {
        self.content = content
    }

    /// The value as this type, if it is one: `object.as([Topic].self)`.
    public func `as`<Value>(_ type: Value.Type) -> Value? { content as? Value }

    /// The value, if it is dynamic; else null.
    public var json: JSON { content as? JSON ?? .nullValue }
}

/// A registered type, which knows how answers become one or several of it.
struct RuleModel: Sendable {
    let object: Target<RuleValue>
    let objects: Target<RuleValue>
    let nullableObject: Target<RuleValue>
    let nullableObjects: Target<RuleValue>

    init<Model: Decodable & Sendable>(_ type: Model.Type) {
        object = Target<Model>.decodable(Model.self).content { $0 }
        objects = Target<[Model]>.decodable([Model].self).content { $0 }
        nullableObject = Target<Model?>.decodable(Model?.self).content { $0 }
        nullableObjects = Target<[Model]?>.decodable([Model]?.self).content { $0 }
    }
}

extension Target where Value == RuleValue {
    /// What the answer to a call by this rule is to be.
    init(_ rule: Rule, _ registry: RuleRegistry) {
        let acceptsNull = rule.acceptsNull == true
        switch rule.responseSerializer.flatMap({ registry.responseSerializers[$0] }) ?? .payload {
        case .data: self = Target<Data>.data.content { acceptsNull && $0.isEmpty ? nil : $0 }
        case .text: self = Target<String>.string.content { acceptsNull && $0.isEmpty ? nil : $0 }
        case .payload:
            let model = rule.responseClass.flatMap { registry.models[$0] }
            switch rule.responseType ?? .any {
            case .any, .success: self = .dynamic(acceptsNull, nil)
            case .object: self = (acceptsNull ? model?.nullableObject : model?.object) ?? .dynamic(acceptsNull, .object)
            case .objects: self = (acceptsNull ? model?.nullableObjects : model?.objects) ?? .dynamic(acceptsNull, .objects)
            }
        }
    }

    /// A dynamic value, which must be an object or an array of objects if the rule says so.
    private static func dynamic(_ acceptsNull: Bool, _ wanted: Rule.ResponseType?) -> Target<RuleValue> {
        let check: @Sendable (JSON?) throws -> (any Sendable)? = { json in
            guard let json, !(acceptsNull && json.isNull) else { return nil }
            let fits =
                switch wanted {
                case .object: json.isObject
                case .objects: json.array?.allSatisfy(\.isObject) == true
                default: true
                }
            guard fits else {
                let what = wanted == .object ? "an object" : "an array of objects"
                throw APIError(.decoding, message: "The rule wants \(what), but the answer is \(json.summary(hidden: false)).")
            }
            return json
        }
        return acceptsNull ? Target<JSON?>.decodable(JSON?.self).content(check) : Target<JSON>.json.content(check)
    }
}

extension Target {
    /// The same, with the type of the value erased.
    fileprivate func content(_ content: @escaping @Sendable (Value) throws -> (any Sendable)?) -> Target<RuleValue> {
        let value = value
        return Target<RuleValue>(decoded: decoded) { reading, decoder in RuleValue(try content(try value(reading, decoder))) }
    }
}

extension JSON {
    fileprivate var isObject: Bool {
        if case .object = storage { true } else { false }
    }
}
