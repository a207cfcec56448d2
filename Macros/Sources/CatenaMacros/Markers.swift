/// Sends a property under another name: `@Param("page_size") var pageSize = 20`. A placeholder uses that name, too.
@attached(peer) public macro Param(_ name: String) = #externalMacro(module: "EndpointMacros", type: "MarkerMacro")

/// Sends a property in the query, whatever the method is: `@Query let draft: Bool`.
@attached(peer) public macro Query() = #externalMacro(module: "EndpointMacros", type: "MarkerMacro")

/// Sends a property in the query under another name: `@Query("page_size") var pageSize = 20`.
@attached(peer) public macro Query(_ name: String) = #externalMacro(module: "EndpointMacros", type: "MarkerMacro")

/// Sends a property as a header, or leaves it out if it is `nil`: `@Header("X-Token") let token: String?`.
@attached(peer) public macro Header(_ name: String) = #externalMacro(module: "EndpointMacros", type: "MarkerMacro")

/// Sends a property as the whole body, in JSON: `@Body let draft: Draft`. Properties that would be in the body go to the query instead.
@attached(peer) public macro Body() = #externalMacro(module: "EndpointMacros", type: "MarkerMacro")

/// Sends bytes or a file as the body: `@Body(contentType: "image/png") let image: Data`.
@attached(peer) public macro Body(contentType: String) = #externalMacro(module: "EndpointMacros", type: "MarkerMacro")

/// Does not send a property: `@Unsent let filter: Filter`. Other properties can be computed from it.
@attached(peer) public macro Unsent() = #externalMacro(module: "EndpointMacros", type: "MarkerMacro")
