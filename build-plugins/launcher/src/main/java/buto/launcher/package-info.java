/**
 * Starting the command {@code buto} from a build: find it, build its command line, run it, say what its exit code
 * means. Every decision is buto's own. The sources are compiled into each of the plugins, which so stay one jar each.
 */
package buto.launcher;
