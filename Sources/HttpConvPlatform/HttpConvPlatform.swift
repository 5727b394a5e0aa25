// Foundation and the C library as one import, as far as this package uses them. On Linux, Foundation's essentials are
// without its locale data, which is 34 MB of a program.

#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif

#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Darwin)
@_exported public import Darwin
#endif
