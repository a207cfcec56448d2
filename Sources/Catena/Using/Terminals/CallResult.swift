public import CatenaPlatform

/// The result that `execute(_:)` promises if it is not the decoded payload.
///
/// ```swift
/// API.tag(.forum).delete("/rooms/7").execute(.void)
///     .finally { self.spinner.stop() }
/// ```
public struct CallResult<Value: Sendable>: Sendable {
    let promise: @Sendable (Request, StaticString, UInt) -> Promise<Value>

    init(_ promise: @escaping @Sendable (Request, StaticString, UInt) -> Promise<Value>) {
        self.promise = promise
    }
}

extension CallResult where Value == Void {
    /// Only the success of the call, whatever its payload is.
    public static var void: CallResult { CallResult { request, file, line in request.promise(.void, file, line) } }
}

extension CallResult where Value == Data {
    /// The whole body, which may be empty and of any type.
    public static var data: CallResult { CallResult { request, file, line in request.promise(.data, file, line) } }
}

extension CallResult where Value == String {
    /// The whole body as text, in the charset that the response or ``Profile/charset`` names, else UTF-8.
    public static var string: CallResult { CallResult { request, file, line in request.promise(.string, file, line) } }
}

extension CallResult {
    /// The decoded payload together with status, headers, code and message.
    public static func response<Payload: Decodable & Sendable>(as type: Payload.Type) -> CallResult where Value == Response<Payload> {
        CallResult { request, file, line in
            let target = ResultDecoder<Payload>.decodable(type)
            let run = CallRun(request.asking(for: target))
            return run.promise(file, line) {
                try await Pipeline.run(run, until: KnownResponseMode(target: target))
            }
        }
    }
}
