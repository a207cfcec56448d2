public import CatenaPlatform

extension RequestSteps {
    // MARK: Bodies read during sending

    /// Sends a file, which is read during sending, so that a file of any size takes little memory.
    ///
    /// The file is opened again for every attempt and every redirect. A file that cannot be read fails the call.
    ///
    /// - Parameters:
    ///   - file: The file on this device.
    ///   - contentType: The media type, or `nil` for the one that belongs to the file name's extension.
    public consuming func body(file: URL, contentType: String? = nil) -> Self {
        body(.file(file, contentType: contentType ?? FileMediaType.of(fileNamed: file.lastPathComponent)), step: "body")
    }

    /// Sends the bytes of an asynchronous sequence.
    ///
    /// The sequence can be read only once. Therefore the call is not retried, and executing the request a second time fails. The variant
    /// that takes a closure has no such limits.
    ///
    /// - Parameters:
    ///   - stream: The sequence of the bytes.
    ///   - length: The number of bytes. Without it the body is sent in chunks, which some servers refuse.
    ///   - contentType: The media type of the body.
    public consuming func body<Pieces: AsyncSequence & Sendable>(
        stream: Pieces, length: Int64? = nil, contentType: String = "application/octet-stream"
    ) -> Self where Pieces.Element == Data {
        body(.source(BodySource(stream: stream, length: length), contentType: contentType), step: "body")
    }

    /// Sends the bytes of an asynchronous sequence that a closure creates for every attempt and every redirect.
    ///
    /// - Parameters:
    ///   - stream: Creates the sequence of the bytes.
    ///   - length: The number of bytes. Without it the body is sent in chunks, which some servers refuse.
    ///   - contentType: The media type of the body.
    public consuming func body<Pieces: AsyncSequence & Sendable>(
        stream: @escaping @Sendable () -> Pieces, length: Int64? = nil, contentType: String = "application/octet-stream"
    ) -> Self where Pieces.Element == Data {
        body(.source(BodySource(stream: stream, length: length), contentType: contentType), step: "body")
    }

    /// Sends a body that consists of bytes, files and streams.
    public consuming func body(_ source: BodySource, contentType: String) -> Self {
        body(.source(source, contentType: contentType), step: "body")
    }

    /// Sends fields and files as a form, `multipart/form-data`. The params of the call become fields, before those of the form.
    ///
    /// ```swift
    /// API.tag(.files).post("/photos").multipart { form in form.file(photo, name: "photo") }.execute(.void)
    /// ```
    ///
    /// - Parameters:
    ///   - boundary: The text between the parts, 1 to 70 characters, or `nil` for a new random one for every attempt.
    ///   - fill: Adds the fields and files to an empty form, before this method returns. An error that it throws fails the call.
    public consuming func multipart(boundary: String? = nil, _ fill: (inout MultipartForm) throws -> Void) -> Self {
        var form = MultipartForm()
        do {
            try fill(&form)
        } catch {
            if request.fault == nil { request.fault = APIError.failure(of: "multipart", error) }
        }
        return body(.multipart(form, boundary: boundary), step: "multipart")
    }
}

/// The content of a JSON body, encoded when the request is prepared.
enum JSONBodySource: Sendable {
    case params(Params)
    case value(any Encodable & Sendable, JSONEncoder?)
    case data(Data)

    func encode(with encoder: JSONEncoder, style: ParameterStyle) throws -> Data {
        switch self {
        case .params(let members): try JSONBody.encode(members, style: style)
        case .value(let value as JSON, nil): try JSONBody.encode(value.parameterNode, style: style)
        case .value(let value, let own): try JSONPayloadEncoder(own ?? encoder).encode(value)
        case .data(let data): data
        }
    }
}
