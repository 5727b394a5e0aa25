/// The limits of the process for resources (getrlimit(2)). glibc has a type of its own for their names.
package enum ResourceLimit {
    #if canImport(Glibc)
    package static var coreDumps: __rlimit_resource_t { __rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)) }
    package static var descriptors: __rlimit_resource_t { __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)) }
    #else
    package static var coreDumps: Int32 { RLIMIT_CORE }
    package static var descriptors: Int32 { RLIMIT_NOFILE }
    #endif

    /// The limits for descriptors; nil: they are not known.
    package static var ofDescriptors: rlimit? {
        var limits = rlimit()
        return getrlimit(descriptors, &limits) == 0 ? limits : nil
    }

    /// The number of descriptors that the process may have, by the soft limit; nil: it is not known.
    package static var descriptorCount: Int? { ofDescriptors.map { Int(clamping: $0.rlim_cur) } }
}
