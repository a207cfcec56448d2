import Foundation

// What the request carries.
extension RequestAssembly {
    func encodeBody(_ params: Params?, method: HTTPMethod) throws -> EncodedBody? {
        if let body = execution.request.body {
            guard !method.forbidsBody else {
                throw APIError.invalid(
                    body.step, "a \(method) has no body; use .post(…) or another verb, or .params(…) or .query(…) for the query")
            }
            let fields = body.form == nil ? [] : try self.fields(of: params ?? Params())
            return try encode(body.content, after: fields, step: body.step)
        }
        guard let params, !params.isEmpty else { return nil }
        switch encoding {
        case .json: return try encode(.json(.params(params)), step: nil)
        case .form: return try encode(.form(params), step: nil)
        case .propertyList: return try encode(.propertyList(.object(params)), step: nil)
        case .query: return nil
        case .custom(let encoder):
            let body = try encodeByCaller { () throws in try encoder.body(params, style: style) }
            return EncodedBody(body.data, body.contentType)
        }
    }

    /// - Parameter step: The step that added the body; `nil` if it is made of params, which may come from several steps.
    private func encode(_ content: BodyDescription.Content, after fields: [ParameterField] = [], step: String?) throws -> EncodedBody {
        do {
            switch content {
            case .form(let fields):
                return EncodedBody(Data(try URLQueryEncoder.encode(fields, style: style).utf8), "application/x-www-form-urlencoded")
            case .json(let source):
                return EncodedBody(try source.encode(with: profile.encoder, style: style), "application/json")
            case .propertyList(let members):
                return EncodedBody(try PropertyListBody.encode(members, style: style), "application/x-plist")
            case .data(let data, let contentType):
                return EncodedBody(data, contentType)
            case .file(let url, let contentType):
                return EncodedBody(BodySource(parts: [.file(try FileRange(url))]), contentType)
            case .source(let source, let contentType):
                return EncodedBody(source, contentType)
            case .multipart(let form, let boundary):
                return try encode(form, after: fields, boundary: boundary)
            }
        } catch let error as ParameterError {
            throw APIError.invalid(step ?? self.step(of: error), error)
        } catch let error as BodyFault {
            throw APIError.invalid(step ?? "body", error.reason)
        } catch let error as EncodingError {
            throw APIError.invalid(step ?? "params", error.explanation, underlying: error)
        } catch {
            throw APIError.invalid(step ?? "params", APIError.wrapping(error).message, underlying: error)
        }
    }
}

extension EncodingError {
    /// The key path and the reason, in one line.
    var explanation: String {
        switch self {
        case .invalidValue(_, let context):
            let path = context.codingPath.reduce(into: "") { path, key in
                if let index = key.intValue { path += "[\(index)]" } else { path += (path.isEmpty ? "" : ".") + key.stringValue }
            }
            return path.isEmpty ? context.debugDescription : "\"\(path)\": \(context.debugDescription)"
        @unknown default:
            return String(describing: self)
        }
    }
}
