public import Catena
public import HTTPTypes

extension HTTPFields {
    /// Makes fields from headers, in the same order.
    ///
    /// - Returns: `nil` if a name is not a token (RFC 9110 §5.6.2) or a value has an invalid character. Neither happens in requests and responses of Catena.
    public init?(_ headers: HTTPHeaders) {
        self.init()
        reserveCapacity(headers.count)
        for header in headers.fields {
            guard let name = HTTPField.Name(header.name) else { return nil }
            let field = HTTPField(name: name, value: header.value)
            // `HTTPField` replaces invalid characters.
            guard field.value == header.value else { return nil }
            append(field)
        }
    }
}

extension HTTPHeaders {
    /// Makes headers from fields, in the same order.
    public init(_ fields: HTTPFields) {
        self.init(fields.map { Field(name: $0.name.rawName, value: $0.value) })
    }
}

extension HTTPTypes.HTTPRequest.Method {
    /// Makes a method, or returns `nil` if its name is not a token.
    public init?(_ method: HTTPMethod) {
        self.init(method.name)
    }
}

extension HTTPMethod {
    /// Makes a method from a method of swift-http-types.
    public init(_ method: HTTPTypes.HTTPRequest.Method) {
        self.init(method.rawValue)
    }
}
