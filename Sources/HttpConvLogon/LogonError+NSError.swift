#if canImport(Darwin)
public import HttpConvPlatform

/// The same error as an `NSError`, for Objective-C.
extension LogonError: CustomNSError {}
#endif
