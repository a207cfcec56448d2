public import Catena
public import HTTPTypes

extension HTTPFields {
    /// The same fields, in the same order.
    ///
    /// - Returns: `nil` if a name is not a token (RFC 9110 §5.6.2), or a value has a character that a value cannot have; neither happens in a
    ///   request or response of Catena's own.
    public init?(_ headers: HTTPHeaders) {
        self.init()
        reserveCapacity(headers.count)
        for header in headers.fields {
            guard let name = HTTPField.Name(header.name) else { return nil }
            let field = HTTPField(name: name, value: header.value)
            // What is not valid has been replaced.
            guard field.value == header.value else { return nil }
            append(field)
        }
    }
}

extension HTTPHeaders {
    /// The same fields, in the same order.
    public init(_ fields: HTTPFields) {
        self.init(fields.map { Field(name: $0.name.rawName, value: $0.value) })
    }
}

extension HTTPTypes.HTTPRequest.Method {
    /// The same method; `nil` if it is not a token.
    public init?(_ method: HTTPMethod) {
        self.init(method.name)
    }
}

extension HTTPMethod {
    /// The same method.
    public init(_ method: HTTPTypes.HTTPRequest.Method) {
        self.init(method.rawValue)
    }
}
