public import Catena
import CatenaPlatform

/// The meaning of the names in rules.
public struct RuleRegistry: Sendable {
    /// The form in which a response is returned.
    public enum ResponseFormat: Sendable, Hashable {
        /// The payload, decoded by its media type.
        case payload
        /// The whole body, unchanged.
        case data
        /// The whole body as text.
        case text
    }

    /// The encodings by the names used under `Serializer`, including those of AFNetworking's classes.
    public private(set) var serializers: [String: ParameterEncoding] = [
        "json": .json, "form": .form, "propertyList": .propertyList, "query": .query,
        "AFJSONRequestSerializer": .json, "AFHTTPRequestSerializer": .form, "AFPropertyListRequestSerializer": .propertyList,
    ]

    /// The response forms by the names used under `Response Serializer`, including those of AFNetworking's classes.
    public private(set) var responseSerializers: [String: ResponseFormat] = [
        "payload": .payload, "data": .data, "text": .text,
        "AFJSONResponseSerializer": .payload, "AFPropertyListResponseSerializer": .payload,
        "AFCompoundResponseSerializer": .payload, "AFHTTPResponseSerializer": .data,
        "AFXMLParserResponseSerializer": .data, "AFImageResponseSerializer": .data,
    ]

    fileprivate static let propertyListSerializer = "AFPropertyListResponseSerializer"

    private(set) var models: [String: RuleModel] = [:]

    /// Whether a `Response Class` must be registered, which only the app can do.
    public var checksClasses: Bool

    /// Creates a registry with only the built-in serializers.
    ///
    /// - Parameter checksClasses: Whether a `Response Class` must be registered.
    public init(checksClasses: Bool = true) {
        self.checksClasses = checksClasses
    }

    /// Registers the encoding of params for rules that name this serializer.
    public mutating func register(serializer name: String, _ encoding: ParameterEncoding) {
        serializers[name] = encoding
    }

    /// Registers the form of responses for rules that name this serializer.
    public mutating func register(responseSerializer name: String, _ format: ResponseFormat) {
        responseSerializers[name] = format
    }

    /// Registers the type as which responses are decoded if a rule names this class. The default name is that of the type.
    public mutating func register<Model: Decodable & Sendable>(_ type: Model.Type, as name: String? = nil) {
        models[name ?? "\(type)"] = RuleModel(type)
    }

    /// Registers a closure that makes responses into models if a rule names this class, for models that are not `Decodable`.
    ///
    /// - Parameters:
    ///   - name: The name of the class in rules.
    ///   - make: Makes a model from an object. An error that it throws fails the call.
    public mutating func register<Model: Sendable>(responseClass name: String, _ make: @escaping @Sendable (JSON) throws -> Model) {
        models[name] = RuleModel(making: make)
    }

    /// The names of the registered types.
    public var classNames: [String] { models.keys.sorted() }
}

extension Rule {
    /// Whether the rule declares its responses to be property lists.
    var takesPropertyLists: Bool { responseSerializer == RuleRegistry.propertyListSerializer }
}

/// The value of a call of a named rule, in the form that the rule describes.
public struct RuleValue: Sendable {
    /// A `JSON`, a registered type or an array of one, `Data` or `String`. `nil` if the rule accepts null and the response had no value.
    public let content: (any Sendable)?
    private let payload: @Sendable () -> JSON?

    /// - Parameter payload: Reads the payload as a dynamic value.
    init(_ content: (any Sendable)?, payload: @escaping @Sendable () -> JSON? = { nil }) {
        self.content = content
        self.payload = payload
    }

    /// Returns the value as this type, or `nil` if it has another one: `object.as([Topic].self)`.
    public func `as`<Value>(_ type: Value.Type) -> Value? { content as? Value }

    /// The payload as a dynamic value, even if it was decoded as a registered type. Null if there is no payload.
    public var json: JSON { content as? JSON ?? payload() ?? .nullValue }
}

/// Decodes responses as one value, or as an array, of a registered type.
struct RuleModel: Sendable {
    let object: ResultDecoder<RuleValue>
    let objects: ResultDecoder<RuleValue>
    let nullableObject: ResultDecoder<RuleValue>
    let nullableObjects: ResultDecoder<RuleValue>

    init<Model: Decodable & Sendable>(_ type: Model.Type) {
        object = ResultDecoder<Model>.decodable(Model.self).content { $0 }
        objects = ResultDecoder<[Model]>.decodable([Model].self).content { $0 }
        nullableObject = ResultDecoder<Model?>.decodable(Model?.self).content { $0 }
        nullableObjects = ResultDecoder<[Model]?>.decodable([Model]?.self).content { $0 }
    }

    /// Creates a model from a closure of the app.
    init<Model: Sendable>(making make: @escaping @Sendable (JSON) throws -> Model) {
        let one: @Sendable (JSON) throws -> any Sendable = { json in
            guard json.isObject else { throw APIError(.decoding, message: "it is \(JSON.summary(of: json, hidden: false)), and no object") }
            return try make(json)
        }
        let several: @Sendable (JSON) throws -> any Sendable = { json in
            guard let elements = json.array, elements.allSatisfy(\.isObject) else {
                throw APIError(.decoding, message: "it is \(JSON.summary(of: json, hidden: false)), and no array of objects")
            }
            return try elements.map(make)
        }
        object = .made(Model.self, acceptsNull: false, one)
        objects = .made([Model].self, acceptsNull: false, several)
        nullableObject = .made(Model.self, acceptsNull: true, one)
        nullableObjects = .made([Model].self, acceptsNull: true, several)
    }
}

extension ResultDecoder where Value == RuleValue {
    /// Creates the decoder for responses to calls of this rule.
    init(_ rule: Rule, _ registry: RuleRegistry) {
        let acceptsNull = rule.acceptsNull == true
        switch rule.responseSerializer.flatMap({ registry.responseSerializers[$0] }) ?? .payload {
        case .data: self = ResultDecoder<Data>.data.content { acceptsNull && $0.isEmpty ? nil : $0 }
        case .text: self = ResultDecoder<String>.string.content { acceptsNull && $0.isEmpty ? nil : $0 }
        case .payload:
            let model = rule.responseClass.flatMap { registry.models[$0] }
            switch rule.responseType ?? .any {
            case .any, .success: self = .dynamic(rule.acceptsNull ?? true, nil)
            case .object: self = (acceptsNull ? model?.nullableObject : model?.object) ?? .dynamic(acceptsNull, .object)
            case .objects: self = (acceptsNull ? model?.nullableObjects : model?.objects) ?? .dynamic(acceptsNull, .objects)
            }
        }
    }

    /// Creates a decoder that passes the payload to a closure of the app.
    fileprivate static func made(
        _ type: Any.Type, acceptsNull: Bool, _ make: @escaping @Sendable (JSON) throws -> any Sendable
    ) -> ResultDecoder<RuleValue> {
        ResultDecoder(decoded: JSON.self) { reading, decoder in
            let json = try ResultDecoder<JSON?>.decodable(JSON?.self).value(reading, decoder)
            guard let json, !json.isNull else {
                if acceptsNull { return RuleValue(nil) { nil } }
                throw reading.missingPayload(type)
            }
            do {
                return RuleValue(try make(json)) { json }
            } catch {
                throw reading.failure(.decoding, "Cannot make \(type): \(APIError.wrapping(error).message)", underlying: error)
            }
        }
    }

    /// Decodes a dynamic value, which must be an object or an array of objects if the rule requires it.
    private static func dynamic(_ acceptsNull: Bool, _ wanted: Rule.ResponseType?) -> ResultDecoder<RuleValue> {
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
                throw APIError(.decoding, message: "The rule wants \(what), but the response is \(JSON.summary(of: json, hidden: false)).")
            }
            return json
        }
        return acceptsNull ? ResultDecoder<JSON?>.decodable(JSON?.self).content(check) : ResultDecoder<JSON>.json.content(check)
    }
}

extension ResultDecoder {
    /// Returns this decoder with the type of its value erased.
    fileprivate func content(_ content: @escaping @Sendable (Value) throws -> (any Sendable)?) -> ResultDecoder<RuleValue> {
        let value = value
        return ResultDecoder<RuleValue>(decoded: decoded) { reading, decoder in
            let content = try content(try value(reading, decoder))
            let decoder = decoder()
            return RuleValue(content) { try? ResultDecoder<JSON?>.decodable(JSON?.self).value(reading) { decoder } }
        }
    }
}

extension JSON {
    fileprivate var isObject: Bool {
        object != nil
    }
}
