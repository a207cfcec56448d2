import Glibc

/// The processor time and the context switches of processes, of all threads together.
struct Usage {
    enum Whose {
        case thisProcess
        /// The child processes that have ended.
        case children
    }

    private(set) var processorSeconds: Double
    /// The number of voluntary and involuntary switches.
    private(set) var contextSwitches: Int

    init(of whose: Whose) {
        var usage = rusage()
        _ = getrusage(__rusage_who_t((whose == .children ? RUSAGE_CHILDREN : RUSAGE_SELF).rawValue), &usage)
        processorSeconds = [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        contextSwitches = Int(usage.ru_nvcsw) + Int(usage.ru_nivcsw)
    }

    static func - (after: Usage, before: Usage) -> Usage {
        var difference = after
        difference.processorSeconds -= before.processorSeconds
        difference.contextSwitches -= before.contextSwitches
        return difference
    }
}
