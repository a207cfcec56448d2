/// What the names in rules stand for.
public struct RuleRegistry: Sendable {
    /// The form in which an answer is given.
    public enum ResponseFormat: Sendable, Hashable {
        /// The payload, decoded by its media type.
        case payload
        /// The whole body as it is.
        case data
        /// The whole body as text.
        case text
    }

    /// Under `Serializer`. The names of AFNetworking's classes are known.
    public private(set) var serializers: [String: ParameterEncoding] = [
        "json": .json, "form": .form, "propertyList": .propertyList, "query": .query,
        "AFJSONRequestSerializer": .json, "AFHTTPRequestSerializer": .form, "AFPropertyListRequestSerializer": .propertyList,
    ]

    /// Under `Response Serializer`. The names of AFNetworking's classes are known.
    public private(set) var responseSerializers: [String: ResponseFormat] = [
        "payload": .payload, "data": .data, "text": .text,
        "AFJSONResponseSerializer": .payload, "AFPropertyListResponseSerializer": .payload,
        "AFCompoundResponseSerializer": .payload, "AFHTTPResponseSerializer": .data,
        "AFXMLParserResponseSerializer": .data, "AFImageResponseSerializer": .data,
    ]

    fileprivate static let propertyListSerializer = "AFPropertyListResponseSerializer"

    private(set) var models: [String: RuleModel] = [:]

    /// Whether a `Response Class` has to be registered, which only the app itself can know.
    public var checksClasses: Bool

    public init(checksClasses: Bool = true) {
        self.checksClasses = checksClasses
    }

    /// Says how the params are encoded where a rule names this serializer.
    public mutating func register(serializer name: String, _ encoding: ParameterEncoding) {
        serializers[name] = encoding
    }

    /// Says in which form an answer is given where a rule names this serializer.
    public mutating func register(responseSerializer name: String, _ format: ResponseFormat) {
        responseSerializers[name] = format
    }

    /// Says as which type an answer is decoded where a rule names this class; without a name, that of the type.
    public mutating func register<Model: Decodable & Sendable>(_ type: Model.Type, as name: String? = nil) {
        models[name ?? "\(type)"] = RuleModel(type)
    }

    /// The names of the registered types.
    public var classNames: [String] { models.keys.sorted() }
}

extension Rule {
    /// Whether the rule says that its responses are property lists.
    var takesPropertyLists: Bool { responseSerializer == RuleRegistry.propertyListSerializer }
}
