import Foundation

// What the request carries.
extension RequestAssembly {
    func encodeBody(_ params: Params?, method: HTTPMethod) throws -> (data: Data, contentType: String?)? {
        if let body = request.body {
            guard !method.forbidsBody else {
                throw APIError.invalid(
                    body.step, "a \(method) has no body; use .post(…) or another verb, or .params(…) or .query(…) for the query")
            }
            return try encode(body.content, step: body.step)
        }
        guard let params, !params.isEmpty else { return nil }
        switch request.options.encoding ?? profile.encoding {
        case .json: return try encode(.json(.params(params)), step: "params")
        case .form: return try encode(.form(params), step: "params")
        case .propertyList: return try encode(.propertyList(params), step: "params")
        case .query: return nil
        }
    }

    func encode(_ content: BodyDescription.Content, step: String) throws -> (data: Data, contentType: String?) {
        do {
            switch content {
            case .form(let fields):
                return (Data(try encode(fields).utf8), "application/x-www-form-urlencoded")
            case .json(let source):
                return (try source.encode(with: profile.encoder, style: style), "application/json")
            case .propertyList(let members):
                return (try PropertyListBody.encode(members, style: style), "application/x-plist")
            case .data(let data, let contentType):
                return (data, contentType)
            }
        } catch let error as ParameterError {
            throw invalid(error)
        } catch let error as EncodingError {
            throw APIError.invalid(step, error.explanation, underlying: error)
        }
    }
}

extension EncodingError {
    /// The key path and the reason, in one line.
    var explanation: String {
        switch self {
        case .invalidValue(_, let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return path.isEmpty ? context.debugDescription : "\"\(path)\": \(context.debugDescription)"
        @unknown default:
            return String(describing: self)
        }
    }
}
