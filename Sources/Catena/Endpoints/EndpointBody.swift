public import Foundation

/// The body of an ``Endpoint``, where it is not made of its params.
///
/// ```swift
/// var body: EndpointBody { .json(draft) }
/// ```
public struct EndpointBody: Sendable {
    let add: @Sendable (Request) -> Request

    /// A body that a step of a request adds, such as `EndpointBody { $0.body(stream: pieces, length: 7) }`.
    public init(_ add: @escaping @Sendable (Request) -> Request) {
        self.add = add
    }

    /// Params as a JSON object, in their order.
    public static func json(_ members: Params) -> EndpointBody {
        EndpointBody { $0.json(members) }
    }

    /// A value as JSON: an object, an array or any other root.
    @_disfavoredOverload
    public static func json(_ value: some Encodable & Sendable) -> EndpointBody {
        EndpointBody { $0.json(value) }
    }

    /// Params as a form (`application/x-www-form-urlencoded`).
    public static func form(_ fields: Params) -> EndpointBody {
        EndpointBody { $0.form(fields) }
    }

    /// Params as an XML property list.
    public static func propertyList(_ members: Params) -> EndpointBody {
        EndpointBody { $0.propertyList(members) }
    }

    /// Fields and files as a form (`multipart/form-data`).
    public static func multipart(_ fill: @escaping @Sendable (inout MultipartForm) -> Void) -> EndpointBody {
        EndpointBody { $0.multipart(fill) }
    }

    /// Bytes as they are.
    public static func data(_ data: Data, contentType: String) -> EndpointBody {
        EndpointBody { $0.body(data, contentType: contentType) }
    }

    /// A file, which is read while it is sent.
    public static func file(_ file: URL, contentType: String? = nil) -> EndpointBody {
        EndpointBody { $0.body(file: file, contentType: contentType) }
    }
}
