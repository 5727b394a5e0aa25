extension String {
    /// The media type of a `Content-Type`, in small letters and without parameters (RFC 9110 §8.3.1).
    package var mediaType: String { String(prefix(upToASCII: ";").lowercased().trimmingBlanks) }

    /// Whether a media type is that of a page.
    package var isHTMLType: Bool { self == "text/html" || self == "application/xhtml+xml" }
}
