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
/// A property fills the placeholder of its name; each other stored one is a param of its name: in the query of a GET or DELETE, in the
/// JSON of the others. ``Param(_:)`` gives it another name, ``Query(_:)``, ``Header(_:)``, ``Body()`` another place; what has the mark
/// ``Unsent()`` goes nowhere. The other properties of `Endpoint` are written as without the macro.
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
