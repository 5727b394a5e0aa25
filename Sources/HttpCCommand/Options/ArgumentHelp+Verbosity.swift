import ArgumentParser

extension ArgumentHelp {
    /// The help of `--verbose`.
    static var verbosity: ArgumentHelp {
        "Prints each step; -vv also prints the heads of requests and answers. Secrets are not shown."
    }
}
