import HttpConvPlatform

/// The limit of the process for descriptors (getrlimit(2)). Child processes inherit it.
enum OpenFiles {
    /// Raises the soft limit as far as the hard one permits.
    static func raiseLimit() {
        guard var limits = ResourceLimit.ofDescriptors else { return }
        // macOS permits no higher one (OPEN_MAX), though its hard limit may be infinite.
        let raised = min(limits.rlim_max, 10_240)
        guard limits.rlim_cur < raised else { return }
        limits.rlim_cur = raised
        _ = setrlimit(ResourceLimit.descriptors, &limits)
    }
}
