public import Catena

/// Makes an ``Endpoint`` of a struct: a GET of the path.
///
/// ```swift
/// @Get("/v1/rooms/{room}/users") struct RoomUsers {
///     typealias Response = [User]
///     let room: String
///     var page = 1
///     var tag: Tag { .forum }
/// }
///
/// let users = try await API.value(RoomUsers(room: "7", page: 2))
/// ```
///
/// A property whose name is a placeholder fills it. Each other stored property is sent as a param of its name. A GET or DELETE sends params in the query, the
/// other methods in the JSON body. ``Param(_:)`` changes a property's name. ``Query(_:)``, ``Header(_:)`` and ``Body()`` change its place, and ``Unsent()``
/// leaves it out. The other properties of `Endpoint` are written as without the macro.
@attached(
    extension, conformances: Endpoint, names: named(TagValue), named(ParamsValue), named(QueryValue), named(HeadersValue), named(BodyValue),
    named(TimeoutValue), named(RetryValue), named(CacheValue), named(path), named(method), named(params), named(query), named(headers),
    named(body))
public macro Get(_ path: Path) = #externalMacro(module: "EndpointMacros", type: "EndpointMacro")

/// Makes an ``Endpoint`` of a struct: a POST to the path. See ``Get(_:)``.
@attached(
    extension, conformances: Endpoint, names: named(TagValue), named(ParamsValue), named(QueryValue), named(HeadersValue), named(BodyValue),
    named(TimeoutValue), named(RetryValue), named(CacheValue), named(path), named(method), named(params), named(query), named(headers),
    named(body))
public macro Post(_ path: Path) = #externalMacro(module: "EndpointMacros", type: "EndpointMacro")

/// Makes an ``Endpoint`` of a struct: a PUT to the path. See ``Get(_:)``.
@attached(
    extension, conformances: Endpoint, names: named(TagValue), named(ParamsValue), named(QueryValue), named(HeadersValue), named(BodyValue),
    named(TimeoutValue), named(RetryValue), named(CacheValue), named(path), named(method), named(params), named(query), named(headers),
    named(body))
public macro Put(_ path: Path) = #externalMacro(module: "EndpointMacros", type: "EndpointMacro")

/// Makes an ``Endpoint`` of a struct: a PATCH of the path. See ``Get(_:)``.
@attached(
    extension, conformances: Endpoint, names: named(TagValue), named(ParamsValue), named(QueryValue), named(HeadersValue), named(BodyValue),
    named(TimeoutValue), named(RetryValue), named(CacheValue), named(path), named(method), named(params), named(query), named(headers),
    named(body))
public macro Patch(_ path: Path) = #externalMacro(module: "EndpointMacros", type: "EndpointMacro")

/// Makes an ``Endpoint`` of a struct: a DELETE of the path. See ``Get(_:)``.
@attached(
    extension, conformances: Endpoint, names: named(TagValue), named(ParamsValue), named(QueryValue), named(HeadersValue), named(BodyValue),
    named(TimeoutValue), named(RetryValue), named(CacheValue), named(path), named(method), named(params), named(query), named(headers),
    named(body))
public macro Delete(_ path: Path) = #externalMacro(module: "EndpointMacros", type: "EndpointMacro")
