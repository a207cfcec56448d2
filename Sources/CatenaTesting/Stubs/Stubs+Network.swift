import Catena

extension Stubs {
    /// Makes every call of `API` and of `Client.shared` that is outside a scope of stubs fail, unless it goes to this machine.
    ///
    /// Say it once for a test bundle, in the initializer of a suite or in the `setUp` of a test class. It holds until the process ends, and
    /// saying it again changes nothing.
    ///
    /// ```swift
    /// init() { Stubs.forbidNetwork() }
    /// ```
    ///
    /// Inside ``activate(clock:isolation:_:)`` the stubs respond to such calls. Work that leaves the task, such as `Task.detached`, a queue or a
    /// delegate, is outside. Its calls fail with `unstubbed` in place of reaching a server. A client of your own is not
    /// affected.
    public static func forbidNetwork() { LocalTransport.require() }
}
