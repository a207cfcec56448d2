import CatenaPlatform

/// The number of files and sockets that this process may open at a time.
enum OpenFiles {
    /// Enough for any test. macOS refuses larger numbers.
    private static let enough: rlim_t = 10_240

    /// The current limit, after it was raised as far as the system allows. Many systems begin with 1,024 or 256.
    static let raisedLimit: rlim_t = {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < enough else { return limit.rlim_cur }
        let before = limit.rlim_cur
        limit.rlim_cur = min(limit.rlim_max, enough)
        return setrlimit(resource, &limit) == 0 ? limit.rlim_cur : before
    }()
}
