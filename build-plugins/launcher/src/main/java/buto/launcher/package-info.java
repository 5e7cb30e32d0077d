/**
 * Starts the command {@code buto} from a build: finds or unpacks it, builds its command line, runs it, and interprets its exit
 * code. Every decision is made by buto. The sources are compiled into each plugin, so that each is a single jar.
 */
package buto.launcher;
