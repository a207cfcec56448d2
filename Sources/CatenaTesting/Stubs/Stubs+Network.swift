import Catena

extension Stubs {
    /// Makes calls of `API` and `Client.shared` outside a scope of stubs fail, unless they go to this machine.
    ///
    /// Call it once for a test bundle, in the initializer of a suite or in the `setUp` of a test class. It applies until the process ends. Further calls have
    /// no effect.
    ///
    /// ```swift
    /// init() { Stubs.forbidNetwork() }
    /// ```
    ///
    /// Inside ``activate(clock:isolation:_:)`` the stubs respond to such calls. Work that leaves the task, such as `Task.detached`, a queue or a delegate, is
    /// outside. Its calls fail with `unstubbed`. Other clients are not affected.
    public static func forbidNetwork() { LocalTransport.require() }
}
