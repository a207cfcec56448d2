import CatenaPlatform

// Encodes the body.
extension RequestAssembly {
    func encodeBody(_ params: Params?, method: HTTPMethod) throws -> EncodedBody? {
        if let body = run.request.body {
            guard !method.forbidsBody else {
                throw APIError.invalid(
                    body.step, "a \(method) has no body; use .post(…) or another verb, or .params(…) or .query(…) for the query")
            }
            let fields = body.form == nil ? [] : try self.fields(of: params ?? Params())
            return try encode(params.map(body.content(of:)) ?? body.content, after: fields, step: body.step)
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

    /// - Parameter step: The step that added the body, or `nil` if the body consists of params, which may come from several steps.
    private func encode(_ content: BodyDescription.Content, after fields: [ParameterField] = [], step: String?) throws -> EncodedBody {
        do {
            switch content {
            case .form(let fields):
                return EncodedBody(Data(try URLQueryEncoder.encode(fields, style: style).utf8), "application/x-www-form-urlencoded")
            case .json(let source):
                return EncodedBody(try source.encode(with: run.configuration.encoder, style: style), "application/json")
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
        } catch let error as APIError {
            throw error
        } catch let error as ParameterError {
            throw APIError.invalid(step.map { self.step(of: error, inBodyOf: $0) } ?? self.step(of: error), error)
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
    /// The key path and the reason in one line.
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

// Encodes multipart forms.
extension RequestAssembly {
    /// Returns the params of the call as fields of its form. They precede the form's own fields.
    func fields(of params: Params) throws -> [ParameterField] {
        do throws(ParameterError) {
            return try ParameterField.fields(of: params, style: style)
        } catch {
            throw APIError.invalid(step(of: error), error)
        }
    }

    func encode(_ form: MultipartForm, after fields: [ParameterField], boundary: String?) throws -> EncodedBody {
        var encoder = try MultipartEncoder(boundary: boundary)
        for field in fields { try encoder.add(field) }
        for part in form.parts {
            switch part {
            case .file(let file): try encoder.add(file, from: try source(of: file))
            case .field(let member):
                for field in try ParameterField.fields(of: Params([member]), style: style) { try encoder.add(field) }
            }
        }
        let contentType = encoder.contentType
        return EncodedBody(encoder.finish(), contentType)
    }

    /// Returns the bytes of a part. Its failure names the part.
    private func source(of file: MultipartForm.File) throws -> BodySource {
        do {
            switch file.content {
            case .source(let source): return source
            case .file(let url): return BodySource(parts: [.file(try FileRange(url))])
            case .json(let source): return BodySource(try source.encode(with: run.configuration.encoder, style: style))
            }
        } catch let error as ParameterError {
            throw error.inside(file.name)
        } catch let error as BodyFault {
            throw BodyFault(reason: "\"\(MultipartEncoder.escaped(file.name))\": \(error.reason)")
        } catch {
            let reason = (error as? EncodingError)?.explanation ?? APIError.wrapping(error).message
            throw APIError.invalid("multipart", "\"\(MultipartEncoder.escaped(file.name))\": \(reason)", underlying: error)
        }
    }
}

/// An encoded body: its bytes, or the source that they are read from.
struct EncodedBody {
    private(set) var data: Data?
    private(set) var source: BodySource?
    let contentType: String
    /// The content coding of the bytes, or `nil` if they are not encoded.
    var contentEncoding: String?

    init(_ data: Data, _ contentType: String) {
        self.data = data
        self.contentType = contentType
    }

    /// Takes the bytes of a source that needs no reading, so that they are sent without a stream.
    init(_ source: BodySource, _ contentType: String) {
        self.contentType = contentType
        switch source.parts.first {
        case .data(let bytes) where source.parts.count == 1: data = bytes
        case .file(let range) where source.parts.count == 1 && range.length == 0: data = Data()
        case nil: data = Data()
        default: self.source = source
        }
    }
}

extension RequestAssembly {
    /// Returns the body after the tag's transformation.
    func transformed(_ body: EncodedBody?) throws -> EncodedBody? {
        guard let body, let transform = profile.transformBody else { return body }
        guard let data = body.data else {
            throw APIError.invalid(
                run.request.body?.step ?? "body",
                "transformBody of the tag changes whole bodies, and this one is a file or a stream, which is not in memory; "
                    + "send its bytes with body(_:contentType:)")
        }
        do {
            let codings = BodyCodings()
            let changed = try BodyCodings.$current.withValue(codings) { try transform(data, body.contentType) }
            var transformed = EncodedBody(changed.data, changed.contentType)
            transformed.contentEncoding = codings.value
            return transformed
        } catch {
            throw APIError.invalid("transformBody", APIError.wrapping(error).message, underlying: error)
        }
    }

    /// Adds the content coding of the transformed body to the headers.
    func addContentEncoding(_ coding: String?, to headers: inout HTTPHeaders) throws {
        guard let coding else { return }
        guard !headers.contains("Content-Encoding") else {
            throw APIError.invalid(
                "header", "the body has a Content-Encoding already, and transformBody of the tag compresses it again; remove one of them")
        }
        headers["Content-Encoding"] = coding
    }
}
